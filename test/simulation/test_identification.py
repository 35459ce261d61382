# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The worlds of a robot's twin become like the robot's own world."""

import numpy as np
from numpy.typing import NDArray

from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.simulation.identification import HIGH, LOW, RANGES, WORLDS, Identification, _points
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.rollout import rollout
from bea_ros.simulation.world import World


def test_it_finds_the_robots_world() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        true = LOW + (HIGH - LOW) * rng.random(len(RANGES))
        found = Identification(np.random.default_rng(seed + 100))

        def errors() -> NDArray[np.float64]:
            return np.linalg.norm((_points(found.worlds) - true) / (HIGH - LOW), axis=1)  # noqa: B023

        at_first = errors().min()
        for _ in range(30):
            found.learn(errors() * (1 + 0.2 * rng.standard_normal(WORLDS)))
        assert errors()[0] < 0.3 * at_first, seed


def test_the_first_worlds_are_the_usual_one_and_others_all_over_the_ranges() -> None:
    worlds = Identification(np.random.default_rng(1)).worlds
    assert worlds[0] == Physics()
    assert len(worlds) == WORLDS
    shares = (_points(worlds[1:]) - LOW) / (HIGH - LOW)
    assert (shares.min(0) < 0.3).all()
    assert (shares.max(0) > 0.7).all()
    assert ((shares >= 0) & (shares <= 1)).all()


def test_an_unstable_world_never_stays() -> None:
    found = Identification(np.random.default_rng(2))
    for _ in range(20):
        before = found.worlds
        found.learn(np.array([np.inf] * (WORLDS - 4) + [0.2, 0.1, 0.3, 0.4]))
        assert found.worlds[0] == before[-3]
        assert np.isfinite(_points(found.worlds)).all()
        assert (_points(found.worlds) >= LOW / 2).all()
        assert (_points(found.worlds) <= 2 * HIGH).all()


def test_a_heavier_base_is_no_heavier_legs() -> None:
    robot = load_robot("gecko7")
    usual, heavy = World(robot).model, World(robot, Physics(base_mass_scale=2.5)).model
    base = usual.body("base_link").id
    assert heavy.body_mass[base] == 2.5 * usual.body_mass[base]
    assert (np.delete(heavy.body_mass, base) == np.delete(usual.body_mass, base)).all()
    assert np.allclose(heavy.body_inertia[base], 2.5 * usual.body_inertia[base])


def test_the_real_robots_masses_are_close_to_a_nominal_robots_with_a_heavy_base() -> None:
    """So one number more describes what was weighed: battery and computer sit in the base."""
    weights = np.random.default_rng(4).uniform(-8, 8, len(load_robot("spider9").parameter_names))
    heavy = Physics(mass_scale=1.5, base_mass_scale=1.6)

    def way(masses: str, physics: Physics) -> NDArray[np.float64]:
        robot = load_robot("spider9", masses=masses)
        names = robot.parameter_names
        network = CpgNetwork.from_weights(robot, dict(zip(names, weights, strict=True)))
        moved = rollout(World(robot, physics), network, 10.0)
        return np.column_stack([moved.x, moved.y])

    real = way("measured", Physics())
    assert np.linalg.norm(way("nominal", heavy) - real, axis=1).max() < 0.1
