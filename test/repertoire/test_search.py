# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The search: who stays in a cell, and that it gets further than chance does."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("ribs", reason="pip install ribs")
from bea_ros.repertoire import guided
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


def two_worlds_of(candidates):
    """A second world has ways a tenth as long, of other candidates."""
    return np.hstack([paths_of(candidates), 0.1 * paths_of(candidates[:, ::-1])])


def searched(batches, moved=paths_of, worlds=1):
    search, tried = Search(DIMENSION, 1, 24, lambda x: x, worlds), []
    for _ in range(batches):
        tried.append(np.array(list(search.ask())))
        search.tell(moved(tried[-1]))
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


def test_each_world_is_searched_and_keeps_what_gets_furthest_in_it():
    search, tried = searched(12, two_worlds_of, worlds=2)
    ends = np.nan_to_num(two_worlds_of(tried)[:, :, -1])
    far = np.linalg.norm(ends / search.unit, axis=2)
    best = far.argmax(axis=0)
    assert best[0] != best[1]
    assert set(best) <= set(search.elites)
    assert (far.max(axis=0) > 1.05 * far[:FIRST].max(axis=0)).all()


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


def test_the_second_physics_are_of_the_heaviest_robot_with_the_weakest_motors():
    middle, weak = physics_of(2)
    assert weak.mass_scale == RANGES["mass_scale"][1]
    assert weak.torque_scale == RANGES["torque_scale"][0]
    assert replace(weak, mass_scale=middle.mass_scale, torque_scale=middle.torque_scale) == middle


def test_an_optimizer_that_begins_later_knows_what_was_found(monkeypatch):
    monkeypatch.setattr(guided, "EVALUATIONS", 2)
    rng, found = np.random.default_rng(1), []
    tried, moved = rng.random((10, 2)), rng.random((10, 1, 3))

    def known():
        found.append(len(tried))
        return tried, moved

    climbers = guided.Climbers(known, lambda x: x, 3, 1)
    for _ in range(2):
        assert found == [10] * 3
        tried = np.vstack([tried, list(climbers.ask())])
        moved = np.vstack([moved, rng.random((3, 1, 3))])
        climbers.tell(moved[-3:])
    assert found == [10] * 3 + [16] * 3
