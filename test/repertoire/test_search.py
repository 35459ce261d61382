# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The search: who stays in a cell, and that it gets further than chance does."""

import numpy as np
import pytest

pytest.importorskip("ribs", reason="pip install ribs")
from bea_ros.repertoire.plan import physics_of
from bea_ros.repertoire.search import FIRST, GUIDED, Search
from bea_ros.simulation.physics import RANGES

DIMENSION = 6


def paths_of(candidates):
    """Of a robot that goes and turns as the first parameters say, the less the more the others do.

    It falls where the last is above 0.9.
    """
    way = (candidates[:, :3] - 0.5) * (1.0 - np.abs(candidates[:, 3:] - 0.5).mean(1))[:, None]
    way[candidates[:, -1] > 0.9] = np.nan
    return np.linspace(0.0, way, 3, axis=1)[:, None]


def searched(batches):
    search, tried = Search(DIMENSION, 1, 24, lambda x: x), []
    for _ in range(batches):
        tried.append(np.array(list(search.ask())))
        search.tell(paths_of(tried[-1]))
    return search, np.vstack(tried)


def test_each_cell_keeps_what_gets_furthest_and_nothing_that_falls():
    search, tried = searched(1)
    ends = paths_of(tried)[:, 0, -1]
    kept = search.elites
    assert len(tried) == FIRST
    assert np.isfinite(ends[kept]).all()
    far = np.nan_to_num(np.linalg.norm(ends / search.unit, axis=1))
    assert np.argmax(far) in kept
    assert far[kept].mean() > far.mean()


def test_the_search_gets_further_than_as_many_random_candidates():
    search, tried = searched(12)
    far = np.sort(np.nan_to_num(np.linalg.norm(paths_of(tried)[:, 0, -1], axis=1)))
    random = np.random.default_rng(5).random((len(tried), DIMENSION))
    chance = np.sort(np.nan_to_num(np.linalg.norm(paths_of(random)[:, 0, -1], axis=1)))
    assert far[-10:].mean() > 1.05 * chance[-10:].mean()
    assert len(search.elites) > 60


def test_there_are_candidates_to_try_while_the_optimizers_compute_theirs():
    compared = []
    search = Search(DIMENSION, 1, 24, lambda x: compared.append(x) or x)
    search.tell(paths_of(np.array(list(search.ask()))))
    asked, begun = search.ask(), len(compared)
    for _ in range(24 - round(24 * GUIDED)):
        next(asked)
    assert len(compared) == begun
    next(asked)
    first = len(compared)
    assert first > begun
    next(asked)
    assert len(compared) > first


def test_physics_are_spread_from_the_middle_of_the_ranges_on():
    found = physics_of(9)
    assert physics_of(2) == found[:2]
    assert len(set(found)) == 9
    for name, (low, high) in RANGES.items():
        values = [getattr(physics, name) for physics in found]
        assert values[0] == pytest.approx((low + high) / 2)
        assert low <= min(values) < values[0] < max(values) <= high
