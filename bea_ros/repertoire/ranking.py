# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Fitness of a repertoire in any task, computed from its paths without simulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bea_ros.localization.arena import Arena
from bea_ros.localization.window import Trust
from bea_ros.optimizers.prior.knowledge import Prior
from bea_ros.repertoire.plan import SAMPLING
from bea_ros.repertoire.store import Repertoire
from bea_ros.tasks import Task, Trajectory

Array = NDArray[np.float64]


def prior_for(repertoire: Repertoire, task: Task, duration: float, arena: Arena) -> Prior:
    """Return the prior of a task, by `fitness_of`; a fall counts as the worst fitness."""
    return Prior(repertoire.candidates, settled(fitness_of(repertoire, task, duration, arena)))


def fitness_of(
    repertoire: Repertoire, task: Task, duration: float = 0.0, arena: Arena | None = None
) -> Array:
    """Fitness of each candidate under each draw of physics, shape (n, draws).

    The evaluation takes `duration` (s; 0: the task's own). A path begins in the middle of the
    `arena`. If it is shorter, or reaches the edge, `Task.evaluate` extrapolates. NaN means that
    the robot fell over.
    """
    wanted = duration or task.duration
    return np.array(
        [[_fitness(path, task, wanted, arena) for path in paths] for paths in repertoire.paths]
    )


def _fitness(path: Array, task: Task, duration: float, arena: Arena | None) -> float:
    trajectory = trajectory_of_path(path, duration, arena)
    return np.nan if trajectory is None else task.evaluate(trajectory, duration).value


def trajectory_of_path(
    path: Array, duration: float, arena: Arena | None = None
) -> Trajectory | None:
    """Return at most `duration` (s) of a path (poses, 3); None if the robot fell over."""
    t: Array = SAMPLING * np.arange(len(path), dtype=float)
    end = min(duration, t[-1])
    if arena is not None:
        end = min(end, _leaving(path, t, arena))
    inside = t[t < end - 1e-9]
    at = np.append(inside, end)
    known = path[: len(inside) + 1]
    if not np.isfinite(known).all():
        return None
    return Trajectory(at, *(np.interp(at, t[: len(known)], known[:, i]) for i in range(3)))


def _leaving(path: Array, t: Array, arena: Arena) -> float:
    """Return when a path reaches the edge of an arena (s); infinite if it does not."""
    half = np.array([arena.width, arena.depth]) / 2 - Trust().edge
    beyond = np.max(np.abs(np.nan_to_num(path[:, :2])) / half, axis=1)
    outside = np.flatnonzero(beyond > 1.0)
    if not outside.size:
        return np.inf
    last = outside[0] - 1
    share = (1.0 - beyond[last]) / (beyond[last + 1] - beyond[last])
    return float(t[last] + share * SAMPLING)


def settled(fitness: Array) -> Array:
    """Return fitness (n, draws) in which a fall has the worst fitness, at most 0."""
    worst = np.nanmin(fitness, initial=0.0)
    return np.where(np.isfinite(fitness), fitness, worst)


def expected(fitness: Array) -> Array:
    """Return the mean of `settled` fitness (n, draws) over the draws, shape (n,)."""
    return settled(fitness).mean(axis=1)


def ranked(fitness: Array) -> NDArray[np.intp]:
    """Return indices of the candidates, best expected fitness first."""
    return np.argsort(-expected(fitness), kind="stable")
