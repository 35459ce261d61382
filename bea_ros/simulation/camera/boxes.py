# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws boxes in a camera's image: shaded faces in painter's order, and their shadow."""

from __future__ import annotations

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image

_SHIFT = 4  # fractional bits of polygon corners
_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
# Corners (rows of _SIGNS) around each of the six faces: those towards x, y, z, -x, -y, -z.
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
        axes = rotations.transpose(0, 2, 1)
        self.normals = np.concatenate([axes, -axes], axis=1)  # (n, 6, 3)
        half = np.tile(sizes / 2, 2)[:, :, None]
        self.face_centres = self.centres[:, None, :] + half * self.normals

    def shadow_corners(self, light: Array) -> Array:
        """Corners (n, 8, 3) projected on the floor along the light's direction (3,), in map."""
        fall = self.corners[..., 2:] / -light[2]
        return self.corners + fall * light


def draw_shadow(mask: Image, boxes: Boxes, light: Array, points: Array) -> None:
    """Fill the shadow of `boxes` on the floor with 255.

    `points` (n, 8, 2) are the samples of `mask` on which their shadow_corners() fall.
    """
    polygons = _fixed_point(points)[:, _FACES]
    for polygon in polygons[boxes.normals @ light < 0]:
        cv2.fillConvexPoly(mask, polygon, 255, cv2.LINE_8, _SHIFT)


class BoxPainter:
    """Draws boxes seen from `eye` (3,), with light along `light` (3,), both in map.

    `points` (n, 8, 2) are the boxes' corners in samples of the picture. The darkest colour drawn
    is 1: 0 is where nothing was drawn.
    """

    def __init__(self, boxes: Boxes, points: Array, eye: Array, light: Array):
        faces = points[:, _FACES]
        middles = faces.sum(2, keepdims=True) / 4
        self._polygons = _fixed_point(faces)
        self._insets = _fixed_point(middles + _INSET * (faces - middles))
        sight = ((eye - boxes.face_centres) * boxes.normals).sum(2)
        shade = _AMBIENT + (1 - _AMBIENT) * np.maximum(-boxes.normals @ light, 0)
        colours = boxes.colours[:, None, :] * shade[..., None]
        self._colours = np.clip(colours, 1, 255).tolist()
        self._rims = np.clip(np.minimum(colours, 255) * _RIM, 1, 255).tolist()
        self._visible = [[f for f, seen in enumerate(row) if seen] for row in (sight > 0).tolist()]
        self._up = (boxes.normals[..., 2] > 0.5).tolist()

    def draw(self, canvas: Image, order: Array) -> None:
        """Draw the boxes with indices `order`, each over those before it."""
        for i in order.tolist():
            for f in self._visible[i]:
                polygon, colour = self._polygons[i, f], self._colours[i][f]
                if self._up[i][f]:
                    rim = self._rims[i][f]
                    cv2.fillConvexPoly(canvas, polygon, rim, cv2.LINE_8, _SHIFT)
                    polygon = self._insets[i, f]
                cv2.fillConvexPoly(canvas, polygon, colour, cv2.LINE_8, _SHIFT)


def _fixed_point(points: Array) -> Array:
    return np.ascontiguousarray(np.round(points * (1 << _SHIFT)), np.int32)
