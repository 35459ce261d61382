# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a repertoire."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bea_ros.repertoire.plan import SAMPLING
from bea_ros.repertoire.store import Repertoire
from bea_ros.report.style import SCALE_PAD, new_axes, new_grid

Array = NDArray[np.float64]

DIRECTIONS = 16
SHOWN = 60.0  # s of a path, at most
WIDE, HIGH = 4.6, 4.4  # inches


def _floor(width: float, x: Array, y: Array) -> tuple[Figure, Axes]:
    """Return square axes of the floor from above, with a cross at the start, for x and y `shown`.

    `width` is in inches. Layouts for other axes than these would cut the labels off.
    """
    figure, axes = new_axes("x (m)", "y (m)", (width, HIGH))
    figure.set_layout_engine("compressed")
    axes.plot(0, 0, "k+", ms=9, zorder=3)
    low, high = (np.array([f(v, initial=0.0) for v in (x, y)]) for f in (np.nanmin, np.nanmax))
    half = 0.55 * float((high - low).max()) or 1.0
    middle_x, middle_y = (low + high) / 2
    axes.set_xlim(middle_x - half, middle_x + half)
    axes.set_ylim(middle_y - half, middle_y + half)
    axes.set_aspect("equal")
    axes.locator_params(nbins=5)  # with more, their labels would touch
    return figure, axes


def ends(repertoire: Repertoire, duration: float) -> Array:
    """Return mean poses (n, 3) over the draws after `duration` (s); NaN if all fell over."""
    mean = np.ma.masked_invalid(_poses(repertoire, duration)).mean(axis=1)
    return np.ma.filled(mean, np.nan)


def _poses(repertoire: Repertoire, duration: float) -> Array:
    """Return poses (n, draws, 3) after `duration` (s), at most that of the paths."""
    return repertoire.paths[:, :, min(round(duration / SAMPLING), repertoire.paths.shape[2] - 1)]


def coverage(repertoire: Repertoire, duration: float) -> Figure:
    """Plot where each candidate moves the robot, and how far it turns."""
    x, y, yaw = ends(repertoire, duration).T
    figure, axes = _floor(WIDE + 1.0, x, y)
    most = float(np.nanmax(np.abs(np.degrees(yaw)))) or 1.0
    points = axes.scatter(
        x, y, c=np.degrees(yaw), s=10, cmap="coolwarm", vmin=-most, vmax=most, zorder=2
    )
    figure.colorbar(points).set_label("turned (degrees)", labelpad=SCALE_PAD)
    return figure


def best_per_direction(repertoire: Repertoire, duration: float) -> NDArray[np.intp]:
    """Return the candidates that move furthest in each of DIRECTIONS."""
    x, y, _ = ends(repertoire, duration).T
    far = np.nan_to_num(np.hypot(x, y), nan=-1.0)
    sector = np.round(np.arctan2(y, x) / (2 * np.pi / DIRECTIONS)) % DIRECTIONS
    chosen = [np.flatnonzero(sector == s) for s in range(DIRECTIONS)]
    return np.array([c[np.argmax(far[c])] for c in chosen if c.size], dtype=np.intp)


def paths(
    repertoire: Repertoire, chosen: Sequence[int] | NDArray[np.intp], duration: float
) -> Figure:
    """Plot paths of some candidates, one colour each, under each draw of physics."""
    poses = round(min(duration, repertoire.duration, SHOWN) / SAMPLING) + 1
    shown = repertoire.paths[chosen, :, :poses]
    figure, axes = _floor(WIDE, shown[..., 0], shown[..., 1])
    colours = colormaps["turbo"](np.linspace(0.05, 0.95, len(chosen)))
    for colour, under_draws in zip(colours, shown, strict=True):
        for path in under_draws:
            axes.plot(path[:, 0], path[:, 1], color=colour, lw=0.7, alpha=0.8)
    return figure


def survival(repertoire: Repertoire, duration: float) -> Figure:
    """Plot distance and rotation of each candidate: the mean and the worst draw."""
    figure, (row,) = new_grid(1, 2, (2 * WIDE, HIGH - 0.6))
    pose = _poses(repertoire, duration)
    far = np.nan_to_num(np.hypot(pose[..., 0], pose[..., 1]))
    turned = np.degrees(np.nan_to_num(np.abs(pose[..., 2])))
    for axes, values, word in zip(row, (far, turned), ("m", "degrees"), strict=True):
        axes.plot(values.mean(axis=1), values.min(axis=1), ".", ms=3, color="#2166ac")
        top = float(values.max())
        axes.plot([0, top], [0, top], color="#8a929c", lw=1)
        axes.set_xlabel(f"mean of the draws ({word})")
        axes.set_ylabel(f"worst of the draws ({word})")
    row[0].set_title("displacement")
    row[1].set_title("turned")
    return figure


def over_repertoire(
    repertoire: Repertoire,
    fitness: Array,
    best: NDArray[np.intp],
    duration: float,
    unit: str,
) -> Figure:
    """Plot the end of each path, coloured by fitness (n,), with circles for the best."""
    x, y, _ = ends(repertoire, duration).T
    figure, axes = _floor(WIDE + 1.0, x, y)
    points = axes.scatter(x, y, c=fitness, s=8, cmap="viridis", zorder=2)
    axes.scatter(x[best], y[best], s=50, facecolors="none", edgecolors="#c51b7d", zorder=2)
    figure.colorbar(points).set_label(f"fitness ({unit})", labelpad=SCALE_PAD)
    return figure
