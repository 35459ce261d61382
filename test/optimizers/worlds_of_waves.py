# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Functions that differ between worlds, and a prior of some worlds."""

from functools import cache

import numpy as np
from loop import run

from bea_ros.optimizers.prior.knowledge import Prior

DIMENSION, WAVES = 6, 200


@cache
def waves_of_all_worlds():
    rng = np.random.default_rng(0)
    directions, phases = 2 * rng.normal(size=(WAVES, DIMENSION)), 6.28 * rng.random(WAVES)
    return directions, phases, rng.normal(size=WAVES) / np.sqrt(WAVES)


def landscape(x, world):
    """A smooth function whose waves shift with the world, which also scales and tilts it."""
    directions, phases, weights = waves_of_all_worlds()
    shifted = phases + 0.5 * world[0] * np.sin(np.arange(WAVES))
    waves = np.cos(x @ directions.T + shifted) @ weights
    return (1 + 0.2 * world[1]) * waves + 0.2 * world[2] * x[..., 0]


@cache
def known_of_some_worlds():
    rng = np.random.default_rng(1)
    x = rng.random((3000, DIMENSION))
    f = np.array([landscape(x, world) for world in rng.normal(size=(5, 3))]).T
    kept = np.argsort(-f.mean(axis=1))[:3000:12]
    return x[kept], f[kept]


def prior(kind="right", seed=0):
    x, f = known_of_some_worlds()
    if kind == "shuffled":
        f = f[np.random.default_rng(seed).permutation(len(f))]
    return Prior(x.copy(), f.copy())


def learned(optimizer, world, evaluations):
    return run(optimizer, evaluations, lambda x: float(landscape(x, world)))


def best_of(optimizer):
    return np.maximum.accumulate([record.fitness for record in optimizer.history])


WORLDS = [1.3 * np.random.default_rng(seed).normal(size=3) for seed in (100, 101, 102)]
