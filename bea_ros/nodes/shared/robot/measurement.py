# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The measurement in an answer of `evaluate_fitness`, checked against the request."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bea_ros_interfaces.srv import EvaluateFitness

from bea_ros.localization.arena import Arena
from bea_ros.nodes.shared.parameters import ParameterError
from bea_ros.nodes.shared.pose_messages import trajectory_of_message
from bea_ros.nodes.shared.stamps import to_nanoseconds
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks import Trajectory, find_task

LARGEST = 1e6  # of fitness, terms and positions (m): no robot moves so far or fast
GAP = 10.0  # s, longest gap, whatever the parameter `dropout` of camera_localization
INNER = 0.5  # of the arena's half width and depth; inside, no evaluation ends early
SAME = 1e-6  # allowed relative difference of recomputed numbers


@dataclass(frozen=True)
class Measurement:
    """An answer of `evaluate_fitness`.

    Without `success` the fitness counts only if there is a trajectory, and if somebody who knows
    better clears the robot of the suspicion that it was carried.
    """

    success: bool
    message: str
    fitness: float
    terms: dict[str, float]
    trajectory: Trajectory | None
    tumbled: bool = False  # it failed by what the robot does of itself, such as falling over
    late: float = 0.0  # s that servos were without due pulses


def check_edge(edge: float, arena: Arena) -> None:
    """Raise ParameterError if an evaluation that ends at this edge (m) ends inside INNER."""
    largest = (1 - INNER) * min(arena.width, arena.depth) / 2
    if edge > largest:
        raise ParameterError(
            f"parameter edge is {edge:g}: in this arena of {arena.width:g} x {arena.depth:g} m it "
            f"must be 0 to {largest:g} m"
        )


def measurement_of(
    answer: EvaluateFitness.Response, request: EvaluateFitness.Request, arena: Arena
) -> Measurement:
    """Return the measurement in an answer; raises ValueError if it does not fit the request.

    The trajectory must cover the requested time, or end at the arena's edge, with no gap longer
    than GAP. The fitness must be that of the trajectory.
    """
    if not answer.success and not (answer.tumbled and answer.trajectory.poses):
        return Measurement(False, answer.message, answer.fitness, {}, None, answer.tumbled)
    trajectory = trajectory_of_message(answer.trajectory)
    terms = dict(zip(answer.term_names, answer.terms, strict=True))
    numbers = [answer.fitness, *answer.terms, *trajectory.positions.ravel()]
    if not all(abs(number) <= LARGEST for number in numbers):
        raise ValueError(f"its numbers are not all within {LARGEST:g}")
    _check_window(answer, request, trajectory, arena)
    measured = find_task(request.task).evaluate(trajectory, request.duration)
    told = {**terms, "": answer.fitness}
    computed = {**measured.terms, "": measured.value}
    if told.keys() != computed.keys() or not all(
        abs(told[name] - value) <= SAME * max(1.0, abs(value)) for name, value in computed.items()
    ):
        raise ValueError(
            f"its fitness {answer.fitness:g} is not that of its trajectory, {measured.value:g}"
        )
    return Measurement(
        answer.success, answer.message, answer.fitness, terms, trajectory, answer.tumbled
    )


def _check_window(
    answer: EvaluateFitness.Response,
    request: EvaluateFitness.Request,
    trajectory: Trajectory,
    arena: Arena,
) -> None:
    """Raise ValueError if a trajectory does not cover the requested window of time."""
    began = to_nanoseconds(answer.trajectory.poses[0].header.stamp)
    ended = to_nanoseconds(answer.trajectory.poses[-1].header.stamp)
    start = to_nanoseconds(request.start)
    end = start + round(request.duration * SECOND)
    if began != start or to_nanoseconds(answer.trajectory.header.stamp) != start:
        raise ValueError(f"it begins {(began - start) / SECOND:.2f} s after the start")
    x, y = trajectory.positions[-1]
    outside = abs(x) > INNER * arena.width / 2 or abs(y) > INNER * arena.depth / 2
    if ended > end or (ended < end and not outside):
        raise ValueError(
            f"it ends {(ended - start) / SECOND:.2f} s after the start, "
            f"not {request.duration:.2f} s, and not at the arena's edge"
        )
    if (longest := float(np.diff(trajectory.t).max())) > GAP:
        raise ValueError(f"it has no pose for {longest:.0f} s")
