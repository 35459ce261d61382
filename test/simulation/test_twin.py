# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A hand that carries the robot by 5 cm is told from a gait, also where the simulator is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import CancelledError
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from bea_ros.nodes.shared.robot.settings import words_of, world_in
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import PUBLISHED_WEIGHT_RANGE, CpgNetwork
from bea_ros.robots.damage import Damage, damages_of
from bea_ros.robots.reach import Reach
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.rollout import CONTROL_RATE, rollout
from bea_ros.simulation.twin import Twin
from bea_ros.simulation.world import World
from bea_ros.tasks.trajectory import Trajectory

USUAL = Physics()
OTHER = Physics(friction=0.85, mass_scale=1.15, torque_scale=0.9, gain_scale=0.85)
ROBOTS = ("spider9", "gecko7", "babyA")


def weights_of(name: str, seed: int) -> Mapping[str, float]:
    names, rng = load_robot(name).parameter_names, np.random.default_rng(seed)
    drawn = PUBLISHED_WEIGHT_RANGE * (2 * rng.random(len(names)) - 1)
    return dict(zip(names, drawn.tolist(), strict=True))


@cache
def way(
    name: str,
    weights: tuple[tuple[str, float], ...],
    physics: Physics,
    damages: tuple[tuple[str, Damage], ...],
    masses: str,
    duration: float,
) -> Trajectory:
    """Where it really went: the same each time."""
    robot = load_robot(name, masses=masses)
    world = World(robot, physics, damages=dict(damages))
    return rollout(world, CpgNetwork.from_weights(robot, dict(weights)), duration)


def walked(
    name: str,
    weights: Mapping[str, float],
    physics: Physics,
    seed: int,
    damages: Mapping[str, Damage] | None = None,
    masses: str = "nominal",
    duration: float = 30.0,
) -> Trajectory:
    """A trajectory with the camera's errors, 4 poses a second."""
    broken, rng = tuple((damages or {}).items()), np.random.default_rng(seed)
    true = way(name, tuple(weights.items()), physics, broken, masses, duration)
    t, x, y, yaw = (part[::5] for part in (true.t, true.x, true.y, true.yaw))
    x, y = (part + 0.002 * rng.standard_normal(len(t)) for part in (x, y))
    return Trajectory(t, x, y, yaw + 0.01 * rng.standard_normal(len(t)))


def by_hand(trajectory: Trajectory, way: float, since: float, takes: float = 1.0) -> Trajectory:
    """The same robot, carried to the right by `way` (m)."""
    share: NDArray[np.float64] = np.clip((trajectory.t - since) / takes, 0.0, 1.0)
    y = trajectory.y - way * share**2 * (3 - 2 * share)
    return Trajectory(trajectory.t, trajectory.x, y, trajectory.yaw)


def turned_by_hand(trajectory: Trajectory, angle: float, since: float) -> Trajectory:
    """The same robot, turned on the spot by `angle` (rad) in a second."""
    share: NDArray[np.float64] = np.clip(trajectory.t - since, 0.0, 1.0)
    turn = angle * share**2 * (3 - 2 * share)
    way = trajectory.x + 1j * trajectory.y
    steps = np.diff(way) * np.exp(1j * (turn[1:] + turn[:-1]) / 2)
    way = way[0] + np.append(0.0, np.cumsum(steps))
    return Trajectory(trajectory.t, way.real, way.imag, trajectory.yaw + turn)


def twin_of(name: str, physics: Physics | None = None) -> Twin:
    """The twin of a real robot, or of a simulated one with these physics."""
    twin = Twin(Reach(load_robot(name)))
    if physics:
        twin.be_in(physics, {}, CONTROL_RATE)
    return twin


@pytest.mark.long
@pytest.mark.parametrize("known", [USUAL, OTHER, None], ids=["usual", "other", "real"])
@pytest.mark.parametrize("name", ROBOTS)
def test_a_hand_is_told_from_a_gait(name: str, known: Physics | None) -> None:
    twin, duration = twin_of(name, known), 18.0
    for seed in range(2):
        weights = weights_of(name, seed)
        own = walked(name, weights, known or OTHER, seed, duration=duration)
        with twin.expecting(weights, duration) as expected:
            assert expected.objection(own) == ""
            carried = expected.objection(by_hand(own, 0.05, since=4.0 + 8 * seed))
            turned = expected.objection(turned_by_hand(own, 1.0, since=4.0 + 8 * seed))
        assert "it was carried" in turned
        assert "it was carried" in carried
        when = float(carried.split(" s after the start")[0].split()[-1])
        assert when == pytest.approx(4.0 + 8 * seed, abs=2.0)


@pytest.mark.long
def test_a_real_robots_world_is_learned_from_its_evaluations() -> None:
    """As heavy as the real robot, with weak and late servos."""
    physics = Physics(friction=1.1, torque_scale=0.55, gain_scale=0.6, servo_delay=0.04)

    def noticed(by: Twin, seed: int, duration: float) -> tuple[list[bool], bool]:
        """Whether hands over 5 cm are noticed, and the undisturbed evaluation is refused."""
        weights = weights_of("spider9", seed)
        own = walked("spider9", weights, physics, seed, masses="measured", duration=duration)
        hands = [by_hand(own, 0.05, since) for since in (5.0, 10.0, 15.0)]
        with by.expecting(weights, duration) as expected:
            said = [bool(expected.objection(seen)) for seen in (*hands, own)]
        return said[:-1], said[-1]

    twin = twin_of("spider9")
    assert sum(noticed(twin, 28, 20.0)[0]) == 0
    for seed in range(20, 24):
        noticed(twin, seed, 8.0)
    assert noticed(twin, 28, 20.0) == ([True] * 3, False)
    heavier = [world.mass_scale * world.base_mass_scale for world in twin.physics]
    assert min(heavier) > 1.5


def test_a_simulated_robot_is_as_broken_as_its_twin() -> None:
    robot, weights = load_robot("spider9"), weights_of("spider9", 5)
    broken = damages_of({"leg_00": "limp", "leg_21": "missing"}, robot)
    own = walked("spider9", weights, USUAL, 1, broken)
    twin = twin_of("spider9", USUAL)
    twin.be_in(USUAL, broken, CONTROL_RATE)
    with twin.expecting(weights, 30.0) as expected:
        assert expected.objection(own) == ""
        assert expected.objection(by_hand(own, 0.05, since=15.0))


@pytest.mark.long
@pytest.mark.parametrize(
    ("known", "duration"), [(USUAL, 15.0), (None, 10.0)], ids=["usual", "real"]
)
def test_a_robot_that_the_simulator_does_not_know_is_not_carried(
    known: Physics | None, duration: float
) -> None:
    twin = twin_of("spider9", known)
    for seed in range(3):
        with twin.expecting(weights_of("spider9", seed), duration) as expected:
            other = weights_of("spider9", seed + 10)
            strange = walked("spider9", other, USUAL, seed, duration=duration)
            assert "twin" not in expected.objection(strange)


SUSPICION = "the robot was 0.05 m higher than at any other time"


def test_a_suspicion_counts_unless_the_twin_did_the_same() -> None:
    weights = weights_of("spider9", 2)
    weak = Physics(mass_scale=2.0, torque_scale=0.5)
    for known, other in ((USUAL, False), (weak, True), (None, True)):
        own = walked("spider9", weights, USUAL, 1, duration=16.0)
        with twin_of("spider9", known).expecting(weights, 16.0) as expected:
            assert expected.objection(own, SUSPICION) == (SUSPICION if other else "")
            by_a_hand = expected.objection(by_hand(own, 0.05, since=12.0), SUSPICION)
            assert "it was carried" in by_a_hand or by_a_hand == SUSPICION


@pytest.mark.long
@pytest.mark.parametrize(("duration", "seen"), [(7.0, 7.0), (7.0, 5.0), (5.0, 5.0)])
def test_a_real_robot_that_looks_carried_each_time_is_not(duration: float, seen: float) -> None:
    twin, weights = twin_of("babyA"), weights_of("babyA", 1)
    said = []
    for seed in range(3):
        own = walked("babyA", weights, USUAL, seed, duration=7.0)
        part = slice(int(np.searchsorted(own.t, seen)) + 1)
        own = Trajectory(own.t[part], own.x[part], own.y[part], own.yaw[part])
        with twin.expecting(weights, duration) as expected:
            said.append(expected.objection(own, SUSPICION))
    assert said == [SUSPICION, SUSPICION, ""]


def test_of_a_moment_nothing_clears_a_robot() -> None:
    """As of somebody else's localization: ours suspects nothing so soon."""
    twin, weights = twin_of("babyA"), weights_of("babyA", 1)
    t = np.linspace(0.0, 1.0, 9)
    for _ in range(4):
        with twin.expecting(weights, 1.0) as expected:
            assert (
                expected.objection(Trajectory(t, 0.01 * t, 0 * t, 0 * t), SUSPICION) == SUSPICION
            )


@pytest.mark.long
@pytest.mark.parametrize("known", [USUAL, None], ids=["usual", "real"])
def test_a_real_robot_that_did_the_same_twice_was_not_carried(known: Physics | None) -> None:
    twin, weights = twin_of("gecko7", known), weights_of("gecko7", 1)

    def told(seed: int, since: float) -> bool:
        own = walked("gecko7", weights, USUAL, seed, duration=10.0)
        with twin.expecting(weights, 10.0) as expected:
            return not expected.objection(by_hand(own, 0.06, since))

    same = known is None
    assert [told(seed, 3.0) for seed in range(4)] == [False, False, same, same]
    assert [told(seed, 6.0) for seed in range(2)] == [False, False]
    with twin.expecting(weights_of("gecko7", 2), 10.0):  # another candidate
        pass
    assert [told(seed, 3.0) for seed in range(3)] == [False, False, same]


def test_a_robot_that_left_the_arena_is_compared_until_then() -> None:
    twin, weights = twin_of("babyA"), weights_of("babyA", 3)
    own = walked("babyA", weights, USUAL, 1, duration=20.0)
    early = Trajectory(own.t[:60], own.x[:60], own.y[:60], own.yaw[:60])
    with twin.expecting(weights, 20.0) as expected:
        assert expected.objection(early) == ""
        assert expected.objection(by_hand(early, 0.05, since=8.0))


def test_an_interrupted_evaluation_ends_its_simulation() -> None:
    twin = twin_of("spider9", USUAL)
    with twin.expecting(weights_of("spider9", 1), 1e6) as expected:
        pass
    with pytest.raises(CancelledError):
        expected.simulated[0].result(timeout=60)


def test_what_a_simulator_reports_is_its_twins_world() -> None:
    robot = load_robot("spider9")
    values = {"control_rate": 40.0, "physics.friction": 0.5, "physics.servo_delay": 0.02}
    said = f"robot {robot.check}, {words_of(**values)}, damage.leg_00 stuck:0.5"
    physics = Physics(friction=0.5, servo_delay=0.02)
    assert world_in(said, robot) == (physics, damages_of({"leg_00": "stuck:0.5"}, robot), 40.0)
    assert world_in(f"robot {robot.check}, servos 3", robot) is None
    assert world_in(said.replace("0.5", "nothing"), robot) is None
    for rate in ("0", "-20.0", "nan", "1e300"):
        assert world_in(said.replace("rate 40.0", f"rate {rate}"), robot) is None, rate
    assert world_in(f"{said}, physics.timestep 1e-09", robot) is None
