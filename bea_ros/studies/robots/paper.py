# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's own numbers, for comparison with ours."""

from __future__ import annotations

import itertools

from bea_ros.report.validation import REAL_FITNESS

__all__ = ["FITNESS_RATIOS", "REAL_FITNESS", "ROBOTS", "TASKS", "TIME_RATIOS"]

ROBOTS = ("spider9", "gecko7", "babyA")
TASKS = ("directed_locomotion", "gait", "rotating")


def _by_case(*ratios: float) -> dict[tuple[str, ...], float]:
    cases = ((robot, task) for task, robot in itertools.product(TASKS, ROBOTS))
    return dict(zip(cases, ratios, strict=True))


# Table "Simulation based comparison": ratios BEA / BO and BEA / EA, a line per task.
FITNESS_RATIOS = {
    "bo": _by_case(
        *(1.229, 1.356, 1.336),
        *(1.122, 1.167, 1.174),
        *(1.115, 1.128, 1.173),
    ),
    "ea": _by_case(
        *(1.459, 1.697, 1.587),
        *(1.335, 1.683, 1.419),
        *(1.354, 1.266, 1.447),
    ),
}
TIME_RATIOS = {
    "bo": _by_case(
        *(0.310, 0.338, 0.324),
        *(0.228, 0.185, 0.220),
        *(0.128, 0.111, 0.138),
    ),
    "ea": _by_case(
        *(1.122, 1.196, 1.104),
        *(1.140, 1.113, 1.210),
        *(1.117, 1.227, 1.212),
    ),
}
