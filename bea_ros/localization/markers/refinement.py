# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Refines a marker's corners to a few hundredths of a pixel, by aligning its whole pattern.

All edges of the pattern contribute, not only its corners: Gauss-Newton on grey levels over a
homography, a gain and an offset (Lucas-Kanade with illumination; Baker and Matthews, "Lucas-Kanade
20 years on", IJCV 2004). Points live on the undistorted plane z = 1 of the camera frame, so lens
distortion is exact within the marker too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.intrinsics import Intrinsics

_MARGIN = 1.0  # white around the black square in the template (cells)
_PAPER = 0.75  # white that every printed marker has around it (cells)
_FAR = 1.4  # standard deviations of the blur at which what lies beyond the paper no longer counts
_TEXELS = 10  # samples of the pattern per cell
USUAL_BLUR = 0.65  # standard deviation of a pixel's view: its own extent and the lens (pixels)
_MORE_BLUR = 1.2  # a second blur over the assumed one, to see how the pattern changes
_MAX_PIXELS = 3600  # a larger marker is compared on a coarser grid
_ITERATIONS = 12
_CONVERGED = 1e-2  # largest step of a homography parameter (cells)
_LEAST_CONTRAST = 2.0  # of white to black (grey levels)
_DIAGONAL = np.diag_indices(11)
_CAPTURE = 1.5  # the farthest that a corner is moved (cells)
_FEW = 4  # pixels; a cell with fewer counts as if it had these
_BLACK = 0.4  # mean of the blurred pattern, below which a cell counts as black
_OUTLIER = 0.15  # residual, as a share of black-white contrast, that gets half the weight


@dataclass(frozen=True)
class Refined:
    """An aligned marker, and the quality of the fit.

    `corners` (4, 2) lie on the plane z = 1, with `covariance` (8, 8). `correlation` is the share
    of the image's variance that the pattern explains (1 is perfect). `covered` says by how much a
    black cell is brighter than the pattern at most, as a share of the contrast: a shadow makes
    none brighter. `blur` is the standard deviation of the measured blur (pixels). For a large
    marker only every `stride`-th pixel was used.
    """

    corners: Array
    covariance: Array
    correlation: float
    blur: float
    stride: int = 1
    covered: float = 0.0


@dataclass(frozen=True)
class _Fit:
    homography: Array  # (8,), from points on the plane z = 1, shifted and scaled, to cells
    covariance: Array
    correlation: float
    covered: float
    blur: float  # the blur seen over the one assumed


def refine(
    image: Image, intrinsics: Intrinsics, cells: Image, corners: Array, blur: float = USUAL_BLUR
) -> Refined | None:
    """Align the pattern `cells` (n, n) with the image, near `corners` (4, 2) in pixels.

    `blur` is the expected blur (pixels). Returns None if the pattern does not fit there.
    """
    n = len(cells)
    grid = _pixel_grid(intrinsics, corners, n)
    if grid is None:
        return None
    rows, columns, cell_pixels = grid
    levels = image[rows, columns].ravel().astype(float)
    start = intrinsics.normalize(corners)
    centre = start.sum(0) / 4
    scale = np.abs(start - centre).max()
    points = np.ones((3, levels.size))
    points[:2] = (intrinsics.rays[rows, columns].reshape(-1, 2).T - centre[:, None]) / scale
    ideal = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float) * (n / 2)
    near = ((start - centre) / scale).astype(np.float32)
    g = cv2.getPerspectiveTransform(near, ideal.astype(np.float32)).ravel()
    template = _template(cells.tobytes(), n, round(2 * blur / cell_pixels * _TEXELS))
    compared = n / 2 + min(max(_PAPER - _FAR * blur / cell_pixels, 0.1), 0.5)
    fit = _align(template, levels, points, g[:8] / g[8], n, compared)
    if fit is None:
        return None
    found = _invert(fit.homography, ideal)
    if not np.abs(found - near).max() < _CAPTURE * np.linalg.norm(near[1] - near[0]) / n:
        return None
    spread = _corner_jacobian(fit.homography, found, ideal) * scale
    covariance = spread @ fit.covariance @ spread.T
    at, blur = found * scale + centre, fit.blur * blur
    return Refined(at, covariance, fit.correlation, blur, rows.step, fit.covered)


def _pixel_grid(
    intrinsics: Intrinsics, corners: Array, n: int
) -> tuple[slice, slice, float] | None:
    """Rows and columns of the image around a marker, and the pixels per cell."""
    cell = cv2.arcLength(corners.astype(np.float32), True) / 4 / n
    margin = cell * _MARGIN
    (left, top), (right, bottom) = corners.min(0) - margin, corners.max(0) + margin
    left, top = max(math.floor(left), 0), max(math.floor(top), 0)
    right = min(math.ceil(right) + 1, intrinsics.width)
    bottom = min(math.ceil(bottom) + 1, intrinsics.height)
    if right - left < n or bottom - top < n:
        return None
    stride = 1
    while (right - left) * (bottom - top) > _MAX_PIXELS * stride**2:
        stride += 1
    return slice(top, bottom, stride), slice(left, right, stride), cell


@lru_cache(maxsize=256)
def _template(cells: bytes, n: int, half_texels: int) -> Array:
    """The pattern, blurred by half_texels / 2: value, slopes per cell (2), change with blur."""
    # One cell more than compared, so that no border is seen.
    margin = round((_MARGIN + 1) * _TEXELS)
    ink = (np.frombuffer(cells, np.uint8).reshape(n, n) > 0).astype(np.float32)
    ink = ink.repeat(_TEXELS, 0).repeat(_TEXELS, 1)
    plate = np.pad(ink, margin, constant_values=1)
    blur = max(half_texels, 2) / 2
    value, more = (
        cv2.GaussianBlur(plate, (0, 0), s, borderType=cv2.BORDER_REPLICATE)
        for s in (blur, _MORE_BLUR * blur)
    )
    dv, du = np.gradient(value)
    return np.ascontiguousarray(np.dstack([value, du * _TEXELS, dv * _TEXELS, more - value]))


def _align(
    template: Array,
    levels: Array,
    points: Array,
    g: Array,
    n: int,
    compared: float,
) -> _Fit | None:
    """Gauss-Newton from the homography g (8,) that maps `points` (3, m) to cells.

    `levels` (m,) are the points' grey levels; those within `compared` cells of the middle count.
    """
    u, v = _map(g, points)[0]
    keep = np.maximum(np.abs(u), np.abs(v)) < compared
    points, levels = points[:, keep], levels[keep]
    if len(levels) < n * n:
        return None
    offset = (n / 2 + _MARGIN + 1) * _TEXELS - 0.5  # texel of the marker's centre
    jacobian = np.ones((11, len(levels)))  # by g (8), gain, blur and base
    light = np.zeros(3)
    for iteration in range(_ITERATIONS):
        cells, w = _map(g, points)
        u, v = (cells * _TEXELS + offset).astype(np.float32)
        seen = cv2.remap(template, u[None], v[None], cv2.INTER_LINEAR)[0]
        slopes = jacobian[8:10]
        slopes[:] = seen.T[[0, 3]]
        if iteration == 0:
            value = slopes[0]
            spread = value - value.sum() / len(value)
            light[0] = spread @ levels / (spread @ spread)
            light[2] = (levels - light[0] * value).sum() / len(value)
        if not light[0] > _LEAST_CONTRAST:
            return None
        by_cell = seen.T[1:3] * (w * light[0])
        jacobian[:3] = points * by_cell[0]
        jacobian[3:6] = points * by_cell[1]
        jacobian[6:8] = points[:2] * -(by_cell * cells).sum(0)
        residual = levels - light @ jacobian[8:]
        weight = 1 / (1 + (residual / (_OUTLIER * light[0])) ** 2)
        weighted = jacobian * weight
        normal = weighted @ jacobian.T
        normal[_DIAGONAL] *= 1 + 1e-9
        solved, step = cv2.solve(normal, (weighted @ residual)[:, None], flags=cv2.DECOMP_CHOLESKY)
        if not solved:
            return None
        step = step.ravel()
        g, light = g + step[:8], light + step[8:]
        if np.abs(step[:8]).max() < _CONVERGED:
            break
    centred = levels - levels.sum() / len(levels)
    noise = weight @ residual**2 / (weight.sum() - 11)
    covariance = cv2.invert(normal)[1][:8, :8] * noise
    correlation = 1 - residual @ residual / (centred @ centred)
    # Blur adds its variance to the picture's variance, which the template's change is linear in.
    more = 1 + light[1] / light[0] * (_MORE_BLUR**2 - 1)
    blur = math.sqrt(min(max(more, 0.25), 4))
    covered = _brightest_black(cells, slopes[0], residual, n) / light[0]
    return _Fit(g, covariance, float(correlation), covered, blur)


def _brightest_black(at: Array, pattern: Array, residual: Array, n: int) -> float:
    """Largest mean of `residual` (m,) in a black cell.

    Pixels are `at` (2, m) cells from the middle; `pattern` (m,) is 0 in black and 1 in white.
    """
    row, column = np.clip(np.nan_to_num(at) + (n / 2 + 1), 0, n + 1).astype(int)
    cell = row * (n + 2) + column
    count = np.bincount(cell)
    black = np.bincount(cell, pattern) < _BLACK * count
    return float((np.bincount(cell, residual) / np.maximum(count, _FEW))[black].max(initial=0.0))


def _matrix(g: Array) -> Array:
    matrix = np.ones((3, 3))
    matrix.ravel()[:8] = g
    return matrix


def _map(g: Array, points: Array) -> tuple[Array, Array]:
    """What the homography g maps `points` (3, m) to, (2, m), and 1 / its denominator (m,)."""
    mapped = _matrix(g) @ points
    w = 1 / mapped[2]
    return mapped[:2] * w, w


def _invert(g: Array, cells: Array) -> Array:
    """The points (4, 2) that the homography g maps to `cells` (4, 2)."""
    inverse = cv2.invert(_matrix(g))[1]
    return cv2.perspectiveTransform(cells[None], inverse)[0]


def _corner_jacobian(g: Array, points: Array, cells: Array) -> Array:
    """d(points) / dg, (8, 8): how the corners (4, 2) move with the homography's parameters."""
    x, y = points.T
    u, v = cells.T
    # A corner stays at its cell: d(u, v)/d(x, y) d(x, y) = -d(u, v)/dg dg. Denominators cancel.
    a, b = g[0] - u * g[6], g[1] - u * g[7]
    c, d = g[3] - v * g[6], g[4] - v * g[7]
    one, zero = np.ones(4), np.zeros(4)
    u_by_g = np.array([x, y, one, zero, zero, zero, -u * x, -u * y])
    v_by_g = np.array([zero, zero, zero, x, y, one, -v * x, -v * y])
    determinant = a * d - b * c
    jacobian = np.empty((8, 8))
    jacobian[0::2] = ((b * v_by_g - d * u_by_g) / determinant).T
    jacobian[1::2] = ((c * u_by_g - a * v_by_g) / determinant).T
    return jacobian
