# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A camera's intrinsics from views of the calibration board (Zhang's method, by OpenCV)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
import scipy.linalg

from bea_ros.camera_setup.board import Board
from bea_ros.camera_setup.views import LEAST_CORNERS, Collection, View
from bea_ros.images.arrays import Array
from bea_ros.localization.intrinsics import Intrinsics

LEAST_VIEWS = 10
GOOD, USABLE = 0.5, 1.0  # reprojection error, rms (pixels)
OUTLIER = 4.0  # times the median error above which a corner is left out,
LEAST_OUTLIER = 0.1  # but never below this error (pixels)
ROUNDS = 5  # of leaving corners out
MOST_SLOPE = 3.0  # tangent of the widest angle to the optical axis that is checked
MOST_LEFT_OUT = 0.25  # of the corners that are kept
SURE = 0.005  # largest standard deviation of a focal length and of the principal point (share)
MOST_UNCOVERED = 3  # regions
NEEDED_TILTED = 3  # views


@dataclass(frozen=True)
class Model:
    """A lens distortion of OpenCV; its coefficients of index `fixed` are 0 by `flags`."""

    coefficients: int
    flags: int = 0
    fixed: tuple[int, ...] = ()

    @property
    def free(self) -> int:
        """Number of the coefficients that are estimated."""
        return self.coefficients - len(self.fixed)


PLUMB_BOB = Model(5)  # does not fit a lens wider than 90 degrees
# With k3 and k6 the rational model often has a pole in the image, with k2 it has one at times.
K1_K2_K4_K5 = Model(8, cv2.CALIB_RATIONAL_MODEL | cv2.CALIB_FIX_K3 | cv2.CALIB_FIX_K6, (4, 7))
K1_K4_K5 = Model(8, K1_K2_K4_K5.flags | cv2.CALIB_FIX_K2, (1, 4, 7))


class LensError(ValueError):
    """Views that do not determine the camera's intrinsics; the message says what to do."""


@dataclass(frozen=True, eq=False)
class Lens:
    """Calibrated `intrinsics`, with the standard deviations of fx, fy, cx, cy (pixels).

    `error` is the rms reprojection error (pixels) over `corners` corners in `views` views;
    `left_out` corners did not fit the others.
    """

    intrinsics: Intrinsics
    deviations: Array
    error: float
    views: int
    corners: int
    left_out: int

    @property
    def summary(self) -> str:
        """The result in words, and whether it is good enough."""
        k, sigma = self.intrinsics.matrix, self.deviations
        quality = "good" if self.error < GOOD else "usable; a flatter board or more light may help"
        left_out = f" of {self.corners + self.left_out}" if self.left_out else ""
        return (
            f"fx {k[0, 0]:.1f} +-{sigma[0]:.1f}, fy {k[1, 1]:.1f} +-{sigma[1]:.1f}, "
            f"cx {k[0, 2]:.1f} +-{sigma[2]:.1f}, cy {k[1, 2]:.1f} +-{sigma[3]:.1f} pixels\n"
            f"reprojection error {self.error:.2f} pixels, {self.corners}{left_out} corners in "
            f"{self.views} views: {quality} (below {GOOD:g} is good, above {USABLE:g} is refused)"
        )


def calibrate_lens(board: Board, collection: Collection) -> Lens:
    """The lens with the smallest reprojection error; raises LensError."""
    views = collection.views
    if len(views) < LEAST_VIEWS:
        similar = f", and {collection.similar} too similar to them" if collection.similar else ""
        raise LensError(
            f"{len(views)} different views of the board{similar}: {LEAST_VIEWS} are needed"
        )
    uncovered = collection.uncovered()
    if len(uncovered) > MOST_UNCOVERED:
        raise LensError(
            f"the board was never at the {', '.join(uncovered)} of the image: "
            "the lens is not known there"
        )
    if collection.tilted < NEEDED_TILTED:
        raise LensError(
            f"{collection.tilted} views with the board tilted, {NEEDED_TILTED} are needed: of a "
            "board that faces the camera, a longer lens farther away sees the same"
        )
    lens = _solve_best(board, views, collection.size)
    if lens.error > USABLE or lens.left_out > MOST_LEFT_OUT * lens.corners:
        raise LensError(
            f"the views do not fit each other: {lens.error:.1f} pixels with {lens.left_out} of "
            f"{lens.corners + lens.left_out} corners left out; were they taken by one camera with "
            "one zoom, and is the board flat, held still, and the one of bea markers --charuco?"
        )
    unsure = lens.deviations / lens.intrinsics.focal_length
    if not unsure.max() < SURE:
        what = "focal length" if unsure[:2].max() >= unsure[2:].max() else "image's centre"
        raise LensError(
            f"the {what} is known to {100 * unsure.max():.3g} % of a focal length only, "
            f"{100 * SURE:g} % is needed: more views with the board tilted by 20 to 40 degrees"
        )
    if not _rises(lens.intrinsics):
        raise LensError(
            "the lens is not known at the edge of the image: more views with the board there"
        )
    return lens


def _rises(intrinsics: Intrinsics) -> bool:
    """Whether points farther from the optical axis are seen farther from it, all over the image.

    Beyond a pole or a fold of the distortion, one pixel would show several points.
    """
    width, height = intrinsics.width, intrinsics.height
    edge = [(x, y) for x in (0, width / 2, width) for y in (0, height / 2, height)]
    farthest = np.linalg.norm(np.array(edge) - intrinsics.matrix[:2, 2], axis=1).max()
    k = np.pad(np.delete(intrinsics.distortion, [2, 3]), (0, 3))  # without the tangential ones
    square = np.linspace(0, MOST_SLOPE, 2000) ** 2
    above, below = (1 + np.polyval([*part[2::-1], 0], square) for part in (k[:3], k[3:6]))
    seen = np.sqrt(square) * above / below
    inside = np.append(True, seen[:-1] < farthest / intrinsics.focal_length)
    within = np.logical_and.accumulate(inside)
    return bool((below[within] > 0).all() and (np.diff(seen)[within[1:]] > 0).all())


def _solve_best(board: Board, views: list[View], size: tuple[int, int]) -> Lens:
    """Calibrate with the model that the views prefer by Schwarz's criterion (BIC).

    More coefficients than they determine would bend the image where no corner was seen.
    """
    for model in (K1_K2_K4_K5, K1_K4_K5):
        wide, kept = _solve_robustly(board, views, size, model)
        if _rises(wide.intrinsics):
            break
    numbers, more = 2 * wide.corners, model.free - PLUMB_BOB.free
    better = 2 * math.log(_solve(board, kept, size, PLUMB_BOB)[0].error / wide.error)
    if numbers * better > more * math.log(numbers):
        return wide
    return _solve_robustly(board, views, size, PLUMB_BOB)[0]


def _solve_robustly(
    board: Board, views: list[View], size: tuple[int, int], model: Model
) -> tuple[Lens, list[View]]:
    """Calibrate without corners that do not fit, such as those at a covered part of the board.

    Returns the lens, and the views with the corners that it is from.
    """
    seen = sum(len(view.ids) for view in views)
    for _ in range(ROUNDS):
        kept = views
        lens, errors = _solve(board, kept, size, model)
        limit = max(OUTLIER * float(np.median(np.concatenate(errors))), LEAST_OUTLIER)
        good = [error < limit for error in errors]
        if all(keep.all() for keep in good):
            break
        views = [
            replace(view, pixels=view.pixels[keep], ids=view.ids[keep])
            for view, keep in zip(views, good, strict=True)
            if keep.sum() >= LEAST_CORNERS
        ]
        if not views:
            break
    return replace(lens, left_out=seen - lens.corners), kept


def _solve(
    board: Board, views: list[View], size: tuple[int, int], model: Model
) -> tuple[Lens, list[Array]]:
    """The lens, and the reprojection errors of each view's corners (pixels)."""
    corners = [board.corners[view.ids].astype(np.float32) for view in views]
    pixels = [view.pixels.astype(np.float32).reshape(-1, 1, 2) for view in views]
    nothing: list[Array] = []
    start: tuple[Array, Array] = np.eye(3), np.zeros(model.coefficients)
    error, matrix, distortion, turns, places = cv2.calibrateCamera(
        corners, pixels, size, *start, nothing, nothing, flags=model.flags
    )
    if not np.isfinite(error):
        raise LensError("the views do not fit one camera: were they taken with different zooms?")
    distortion = distortion.ravel()[: model.coefficients]
    try:
        intrinsics = Intrinsics(*size, matrix, distortion)
    except ValueError as why:
        raise LensError(f"the views do not determine a camera: {why}") from why
    projected = [
        cv2.projectPoints(*view, matrix, distortion)
        for view in zip(corners, turns, places, strict=True)
    ]
    residuals = [seen - p for (seen, _), p in zip(projected, pixels, strict=True)]
    fixed = [10 + i for i in model.fixed]
    free = [np.delete(jacobian, fixed, axis=1) for _, jacobian in projected]
    deviations = _deviations(residuals, free)
    errors = [np.linalg.norm(residual, axis=2).ravel() for residual in residuals]
    count = sum(map(len, corners))
    return Lens(intrinsics, deviations, float(error), len(views), count, 0), errors


def _deviations(residuals: list[Array], jacobians: list[Array]) -> Array:
    """Standard deviations of fx, fy, cx, cy at the least-squares solution (pixels).

    `jacobians` are those of cv2.projectPoints, by view: of its pose (6), fx, fy, cx, cy, and the
    free coefficients. OpenCV's own deviations invert J^T J, whose condition number, the square of
    J's, is too large for doubles where coefficients hardly differ in what they do.
    """
    poses = scipy.linalg.block_diag(*(jacobian[:, :6] for jacobian in jacobians))
    jacobian = np.column_stack([np.concatenate(jacobians)[:, 6:], poses])
    freedom = jacobian.shape[0] - jacobian.shape[1]
    if freedom <= 0:
        return np.full(4, np.inf)
    scale = np.linalg.norm(jacobian, axis=0)
    triangle = np.linalg.qr(jacobian / scale, mode="r")
    try:
        inverse = scipy.linalg.solve_triangular(triangle, np.eye(len(scale)))
    except np.linalg.LinAlgError:
        return np.full(4, np.inf)
    variance = sum(float(np.sum(residual**2)) for residual in residuals) / freedom
    return np.sqrt(variance * np.sum(inverse[:4] ** 2, axis=1)) / scale[:4]
