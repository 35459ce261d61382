# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A marker's corners to a few hundredths of a pixel, by aligning its whole printed pattern with the image.

All edges of the pattern count, not only its corners: Gauss-Newton on grey levels over a homography, a gain and an
offset (Lucas-Kanade with illumination; Baker and Matthews, "Lucas-Kanade 20 years on", IJCV 2004). Points live on the
undistorted plane z = 1 of the camera frame, so lens distortion is exact within the marker too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from bea_ros.localization.intrinsics import Intrinsics

Array = NDArray[np.float64]
Image = NDArray[np.uint8]

_MARGIN = 1.0  # white around the marker's black square (cells)
_COMPARED = 0.45  # how much of that is compared; the rest is blurred into what lies beyond (cells)
_TEXELS = 10  # samples of the pattern per cell
_IMAGE_BLUR = 0.6  # standard deviation of a pixel's view: its own extent and a sharp lens (pixels)
_MAX_PIXELS = 1600  # a large marker is compared on a coarser grid
_ITERATIONS = 12
_CONVERGED = 2e-4  # largest step of a template coordinate (cells)
_OUTLIER = 0.15  # residual, as a share of black-white contrast, that gets half the weight


@dataclass(frozen=True)
class Refined:
    """Aligned marker: corners (4, 2) and their covariance (8, 8) on the plane z = 1; how well the pattern fits.

    `correlation` is the share of the image's variance that the pattern explains (1 is perfect); `contrast` the
    difference of white and black in grey levels.
    """

    corners: Array
    covariance: Array
    correlation: float
    contrast: float


def refine(image: Image, intrinsics: Intrinsics, cells: Image, corners: Array) -> Refined | None:
    """Align the pattern `cells` (n, n) near the pixel `corners` (4, 2) of the (height, width) image.

    None if it does not converge near where it started, or leaves the image.
    """
    n = len(cells)
    grid = _pixel_grid(intrinsics, corners, n)
    if grid is None:
        return None
    rows, columns, cell_pixels = grid
    points = intrinsics.rays[rows, columns].reshape(-1, 2).astype(float)
    levels = image[rows, columns].ravel().astype(float)
    start = intrinsics.normalize(corners)
    centre = start.mean(0)
    scale = np.abs(start - centre).mean()
    ideal = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float) * (n / 2)
    to_cells = cv2.getPerspectiveTransform(
        ((start - centre) / scale).astype(np.float32), ideal.astype(np.float32)
    )
    g = to_cells.ravel()[:8] / to_cells[2, 2]
    template = _template(cells.tobytes(), n, round(2 * _IMAGE_BLUR / cell_pixels * _TEXELS))
    fit = _align(template, levels, (points - centre) / scale, g, n)
    if fit is None:
        return None
    g, covariance, correlation, contrast = fit
    found = _invert(g, ideal)
    spread = _corner_jacobian(g, found, ideal)
    refined = found * scale + centre
    if (
        np.abs(refined - start).max() > 1.5 * scale * 2 / n
    ):  # a cell and a half away: something else
        return None
    return Refined(refined, spread @ covariance @ spread.T * scale**2, correlation, contrast)


def _pixel_grid(
    intrinsics: Intrinsics, corners: Array, n: int
) -> tuple[slice, slice, float] | None:
    """Rows and columns of the image around a marker, and the pixels per cell."""
    low, high = corners.min(0), corners.max(0)
    side = np.linalg.norm(corners - np.roll(corners, 1, 0), axis=1).mean()
    margin = side / n * _MARGIN
    left, top = np.maximum(np.floor(low - margin), 0).astype(int)
    right, bottom = np.ceil(high + margin).astype(int) + 1
    right, bottom = min(right, intrinsics.width), min(bottom, intrinsics.height)
    if right - left < n or bottom - top < n:
        return None
    stride = 1
    while (right - left) * (bottom - top) > _MAX_PIXELS * stride**2:
        stride += 1
    return slice(top, bottom, stride), slice(left, right, stride), side / n


@lru_cache(maxsize=256)
def _template(cells: bytes, n: int, half_texels: int) -> NDArray[np.float32]:
    """The pattern blurred by half_texels / 2 texels: value, derivatives per cell (2), and change with more blur."""
    margin = round(
        (_MARGIN + 1) * _TEXELS
    )  # one cell more than compared, so that no border is seen
    ink = (np.frombuffer(cells, np.uint8).reshape(n, n) > 0).astype(np.float32)
    ink = ink.repeat(_TEXELS, 0).repeat(_TEXELS, 1)
    plate = np.pad(ink, margin, constant_values=1)
    blur = max(half_texels, 2) / 2
    value, more = (
        cv2.GaussianBlur(plate, (0, 0), s, borderType=cv2.BORDER_REPLICATE)
        for s in (blur, 1.2 * blur)
    )
    dv, du = np.gradient(value)
    return np.ascontiguousarray(np.dstack([value, du * _TEXELS, dv * _TEXELS, more - value]))


def _align(
    template: NDArray[np.float32], levels: Array, points: Array, g: Array, n: int
) -> tuple[Array, Array, float, float] | None:
    """Homography parameters g (8,) from points to cells, their covariance, correlation and contrast."""
    x, y = points.T
    keep = None
    offset = (n / 2 + _MARGIN + 1) * _TEXELS - 0.5  # texel of the marker's centre
    gain = base = blur = 0.0
    for iteration in range(_ITERATIONS):
        w = 1 / (g[6] * x + g[7] * y + 1)
        u, v = (g[0] * x + g[1] * y + g[2]) * w, (g[3] * x + g[4] * y + g[5]) * w
        if keep is None:  # the pixels that see the marker, chosen once
            keep = np.maximum(np.abs(u), np.abs(v)) < n / 2 + _COMPARED
            x, y, u, v, w, levels = (a[keep] for a in (x, y, u, v, w, levels))
            if len(x) < n * n:
                return None
        map_u = (u * _TEXELS + offset).astype(np.float32)
        map_v = (v * _TEXELS + offset).astype(np.float32)
        seen = cv2.remap(template, map_u, map_v, cv2.INTER_LINEAR).reshape(-1, 4).astype(float)
        value, tu, tv, more = seen.T
        if iteration == 0:
            gain, base = np.polyfit(value, levels, 1)
            if gain <= 1:
                return None
        residual = levels - gain * value - blur * more - base
        weight = 1 / (1 + (residual / (_OUTLIER * gain)) ** 2)
        a, b = gain * tu * w, gain * tv * w
        c = -(a * u + b * v)
        jacobian = np.stack(
            [a * x, a * y, a, b * x, b * y, b, c * x, c * y, value, more, np.ones_like(a)]
        )
        weighted = jacobian * weight
        normal = weighted @ jacobian.T
        normal[np.diag_indices(11)] *= 1 + 1e-9
        try:
            step = np.linalg.solve(normal, weighted @ residual)
        except np.linalg.LinAlgError:
            return None
        g = g + step[:8]
        gain, blur, base = gain + step[8], blur + step[9], base + step[10]
        if not np.isfinite(step).all() or gain <= 1:
            return None
        if np.abs(step[:8]).max() < _CONVERGED:
            break
    total = weight @ (levels - (weight @ levels) / weight.sum()) ** 2
    noise = weight @ residual**2
    covariance = np.linalg.inv(normal)[:8, :8] * noise / max(weight.sum() - 11, 1)
    return g, covariance, float(1 - noise / total), float(gain)


def _invert(g: Array, cells: Array) -> Array:
    """Points (4, 2) that the homography g takes to `cells` (4, 2)."""
    inverse = np.linalg.inv(np.append(g, 1).reshape(3, 3))
    homogeneous = cells @ inverse[:, :2].T + inverse[:, 2]
    return homogeneous[:, :2] / homogeneous[:, 2:]


def _corner_jacobian(g: Array, points: Array, cells: Array) -> Array:
    """d(points) / dg, (8, 8): how the corners move with the homography's parameters."""
    jacobian = np.zeros((8, 8))
    for i, ((x, y), (u, v)) in enumerate(zip(points, cells, strict=True)):
        w = 1 / (g[6] * x + g[7] * y + 1)
        by_point = w * np.array(
            [[g[0] - u * g[6], g[1] - u * g[7]], [g[3] - v * g[6], g[4] - v * g[7]]]
        )
        by_g = w * np.array(
            [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        )
        jacobian[2 * i : 2 * i + 2] = -np.linalg.solve(by_point, by_g)
    return jacobian
