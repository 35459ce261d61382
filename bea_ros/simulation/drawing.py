# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Boxes as a camera sees them: shaded faces in painter's order, and their shadow on the floor."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from bea_ros.localization.arrays import Array, Image

Project = Callable[[Array], Array]  # points (n, 3) in the map frame -> image points (n, 2)

_SHIFT = 4  # fractional bits of polygon corners
_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
_NORMALS = np.vstack([np.eye(3), -np.eye(3)])
# Corners (rows of _SIGNS) around each of the six faces, in the order of _NORMALS.
_FACES = np.array(
    [[4, 6, 7, 5], [2, 3, 7, 6], [1, 5, 7, 3], [0, 1, 3, 2], [0, 4, 5, 1], [0, 2, 6, 4]]
)
_AMBIENT = 0.52
_RIM, _INSET = 0.86, 0.8  # the printed rim of a module's top: its shade, and where it ends


class Boxes:
    """n boxes: `sizes` (n, 3) in m, `colours` (n, channels), `poses` (n, 4, 4) in the map."""

    def __init__(self, sizes: Array, colours: Array, poses: Array):
        rotations = poses[:, :3, :3]
        self.sizes, self.colours, self.centres = sizes, colours, poses[:, :3, 3]
        offsets = (_SIGNS * sizes[:, None, :] / 2) @ rotations.transpose(0, 2, 1)
        self.corners = self.centres[:, None, :] + offsets  # (n, 8, 3)
        self.normals = _NORMALS @ rotations.transpose(0, 2, 1)  # (n, 6, 3)
        half = np.tile(sizes / 2, 2)[:, :, None]
        self.face_centres = self.centres[:, None, :] + half * self.normals

    def shadow_corners(self, light: Array) -> Array:
        """(n, 8, 3): the corners, thrown on the floor along the light's direction (3,)."""
        fall = self.corners[..., 2:] / -light[2]
        return self.corners + fall * light


def draw_shadow(mask: Image, boxes: Boxes, light: Array, to_samples: Project) -> None:
    """Fill, with 255, what of the floor `boxes` keep in the shade."""
    shadow = boxes.shadow_corners(light)
    points = to_samples(shadow.reshape(-1, 3)).reshape(-1, 8, 2)
    polygons = _fixed_point(points)[:, _FACES]
    for polygon in polygons[boxes.normals @ light < 0]:
        cv2.fillConvexPoly(mask, polygon, 255, cv2.LINE_8, _SHIFT)


def draw_boxes(
    canvas: Image, boxes: Boxes, order: Array, eye: Array, light: Array, to_samples: Project
) -> None:
    """Draw the boxes with the indices `order`, one over the other, seen from `eye` (3,)."""
    polygons = to_samples(boxes.corners.reshape(-1, 3)).reshape(-1, 8, 2)[:, _FACES]
    insets = polygons.mean(2, keepdims=True)
    insets = _fixed_point(insets + _INSET * (polygons - insets))
    polygons = _fixed_point(polygons)
    visible = np.einsum("nfk,nfk->nf", boxes.normals, eye - boxes.face_centres) > 0
    shade = _AMBIENT + (1 - _AMBIENT) * np.maximum(-boxes.normals @ light, 0)
    colours = np.clip(boxes.colours[:, None, :] * shade[..., None], 0, 255)
    rims = (colours * _RIM).tolist()
    faces_up = boxes.normals[..., 2] > 0.5
    colours = colours.tolist()
    for i in order:
        for f in np.flatnonzero(visible[i]):
            if faces_up[i, f]:
                cv2.fillConvexPoly(canvas, polygons[i, f], rims[i][f], cv2.LINE_8, _SHIFT)
                cv2.fillConvexPoly(canvas, insets[i, f], colours[i][f], cv2.LINE_8, _SHIFT)
            else:
                cv2.fillConvexPoly(canvas, polygons[i, f], colours[i][f], cv2.LINE_8, _SHIFT)


def _fixed_point(points: Array) -> Array:
    return np.ascontiguousarray(np.round(points * (1 << _SHIFT)), np.int32)
