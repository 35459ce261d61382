# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What `evaluate_fitness` answered, if it can be the answer to what was asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from bea_ros_interfaces.srv import EvaluateFitness

from bea_ros.localization.arena import Arena
from bea_ros.nodes.shared.pose_messages import trajectory_of
from bea_ros.nodes.shared.stamps import SECOND, to_nanoseconds
from bea_ros.robots.reach import Reach
from bea_ros.tasks import Trajectory, find_task

LARGEST = 1e6  # of a fitness, its terms and m: no robot moves as far or as fast
GAP = 10.0  # s the robot may go unseen at most, whatever camera_localization's `dropout`
INNER = 0.5  # of the arena's half width and depth; no evaluation ends early within
SAME = 1e-6  # relative difference of numbers that are computed again


@dataclass(frozen=True)
class Measurement:
    """What `evaluate_fitness` answered; without `success` the rest means nothing but `message`."""

    success: bool
    message: str
    fitness: float
    terms: dict[str, float]
    trajectory: Trajectory | None
    tumbled: bool = False  # why not, as far as can be seen: of itself
    late: float = 0.0  # s that servos went without pulses that were due


def measurement_of(
    answer: EvaluateFitness.Response,
    request: EvaluateFitness.Request,
    weights: Mapping[str, float],
    reach: Reach,
    arena: Arena,
) -> Measurement:
    """The measurement in an answer; raises ValueError if it cannot be that of the request.

    Its trajectory must begin with the window that was asked for and end with it, or where the
    robot came to the arena's edge, without a gap; and the fitness must be that of this trajectory.
    A robot that came further than the candidate's `weights` can move it was carried.
    """
    if not answer.success:
        return Measurement(False, answer.message, answer.fitness, {}, None, answer.tumbled)
    trajectory = trajectory_of(answer.trajectory)
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
    t, x, y, yaw = trajectory.t, trajectory.x, trajectory.y, trajectory.yaw
    if carried := reach.objection(weights, t, x, y, yaw):
        return Measurement(False, carried, answer.fitness, {}, None)
    return Measurement(True, "", answer.fitness, terms, trajectory)


def _check_window(
    answer: EvaluateFitness.Response,
    request: EvaluateFitness.Request,
    trajectory: Trajectory,
    arena: Arena,
) -> None:
    """Raise ValueError for a trajectory of another window of time than that of the request."""
    began = to_nanoseconds(answer.trajectory.poses[0].header.stamp)
    ended = to_nanoseconds(answer.trajectory.poses[-1].header.stamp)
    start = to_nanoseconds(request.start)
    end = start + round(request.duration * SECOND)
    if began != start or to_nanoseconds(answer.trajectory.header.stamp) != start:
        raise ValueError(f"it begins {(began - start) / SECOND:.2f} s after the evaluation")
    x, y = trajectory.positions[-1]
    outside = abs(x) > INNER * arena.width / 2 or abs(y) > INNER * arena.depth / 2
    if ended > end or (ended < end and not outside):
        raise ValueError(
            f"it ends {(ended - start) / SECOND:.2f} s after the start, "
            f"not {request.duration:.2f} s, and not at the arena's edge"
        )
    if (longest := float(np.diff(trajectory.t).max())) > GAP:
        raise ValueError(f"it says nothing for {longest:.0f} s")
