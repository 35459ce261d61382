# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's own figures, to stand beside ours."""

from __future__ import annotations

# Table "Simulation based comparison": BEA over BO and over EA, by task and robot.
FITNESS_RATIOS: dict[str, dict[tuple[str, str], float]] = {
    "bo": {
        ("spider9", "directed_locomotion"): 1.229,
        ("gecko7", "directed_locomotion"): 1.356,
        ("babyA", "directed_locomotion"): 1.336,
        ("spider9", "gait"): 1.122,
        ("gecko7", "gait"): 1.167,
        ("babyA", "gait"): 1.174,
        ("spider9", "rotating"): 1.115,
        ("gecko7", "rotating"): 1.128,
        ("babyA", "rotating"): 1.173,
    },
    "ea": {
        ("spider9", "directed_locomotion"): 1.459,
        ("gecko7", "directed_locomotion"): 1.697,
        ("babyA", "directed_locomotion"): 1.587,
        ("spider9", "gait"): 1.335,
        ("gecko7", "gait"): 1.683,
        ("babyA", "gait"): 1.419,
        ("spider9", "rotating"): 1.354,
        ("gecko7", "rotating"): 1.266,
        ("babyA", "rotating"): 1.447,
    },
}
TIME_RATIOS: dict[str, dict[tuple[str, str], float]] = {
    "bo": {
        ("spider9", "directed_locomotion"): 0.310,
        ("gecko7", "directed_locomotion"): 0.338,
        ("babyA", "directed_locomotion"): 0.324,
        ("spider9", "gait"): 0.228,
        ("gecko7", "gait"): 0.185,
        ("babyA", "gait"): 0.220,
        ("spider9", "rotating"): 0.128,
        ("gecko7", "rotating"): 0.111,
        ("babyA", "rotating"): 0.138,
    },
    "ea": {
        ("spider9", "directed_locomotion"): 1.122,
        ("gecko7", "directed_locomotion"): 1.196,
        ("babyA", "directed_locomotion"): 1.104,
        ("spider9", "gait"): 1.140,
        ("gecko7", "gait"): 1.113,
        ("babyA", "gait"): 1.210,
        ("spider9", "rotating"): 1.117,
        ("gecko7", "rotating"): 1.227,
        ("babyA", "rotating"): 1.212,
    },
}
