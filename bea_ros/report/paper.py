# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's own numbers, for comparison with ours; each by robot and task."""

from __future__ import annotations

import itertools

Case = tuple[str, ...]  # robot and task

ROBOTS = ("spider9", "gecko7", "babyA")  # in the order of the paper's tables
TASKS = ("directed_locomotion", "gait", "rotating")


def _by_case(*values: float) -> dict[Case, float]:
    cases = ((robot, task) for task, robot in itertools.product(TASKS, ROBOTS))
    return dict(zip(cases, values, strict=True))


# Table "Simulation based comparison": ratios BEA / BO and BEA / EA, a line per task.
FITNESS_RATIOS = {
    "bo": _by_case(*(1.229, 1.356, 1.336), *(1.122, 1.167, 1.174), *(1.115, 1.128, 1.173)),
    "ea": _by_case(*(1.459, 1.697, 1.587), *(1.335, 1.683, 1.419), *(1.354, 1.266, 1.447)),
}
TIME_RATIOS = {
    "bo": _by_case(*(0.310, 0.338, 0.324), *(0.228, 0.185, 0.220), *(0.128, 0.111, 0.138)),
    "ea": _by_case(*(1.122, 1.196, 1.104), *(1.140, 1.113, 1.210), *(1.117, 1.227, 1.212)),
}
# Table "Real world performance": the real robots' fitness, mean of three repetitions.
REAL_FITNESS = {
    "bo": _by_case(*(0.82, 0.66, 0.83), *(0.032, 0.031, 0.035), *(1.99, 0.90, 0.52)),
    "bea": _by_case(*(0.70, 1.77, 1.48), *(0.035, 0.036, 0.036), *(2.91, 1.49, 0.87)),
}
