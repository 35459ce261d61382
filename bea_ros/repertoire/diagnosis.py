# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Finds joints of a robot that are broken, from how much it moves unlike a simulated one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bea_ros.robots import Robot
from bea_ros.robots.damage import by_joint
from bea_ros.robots.description import Joint

EXPLAINED = 0.004  # m, difference of displacements that needs no broken joint
CLEARLY = 0.6  # share of the difference that a better explanation leaves
ANGLES = 5  # at which each joint is tried stuck
HALVINGS = 3  # of the distance to the angles beside the best, which are tried as well


def diagnosed(believed: str, left: float, error: Callable[[str], float], robot: Robot) -> str:
    """Return which joints are limp, stuck or missing, as in `by_joint`; empty: none.

    Args:
        believed: what was found before.
        left: the difference (m) that this leaves, in the best world.
        error: the robot's difference (m) from a simulated one that is broken so.
        robot: the robot, whole.
    """
    if left <= EXPLAINED:
        return believed
    errors = {"": error("")}

    def best() -> str:
        return min(errors, key=errors.__getitem__)

    def try_also(broken: str) -> None:
        """Try each further joint, and the best one at other angles if it seems stuck."""
        others = [joint for joint in robot.joints if joint.name not in by_joint(broken)]
        for guess in [f"{broken},{word}".strip(",") for joint in others for word in _words(joint)]:
            errors[guess] = error(guess)
        for halving in range(HALVINGS):
            for guess in _beside(best(), others, halving):
                errors[guess] = error(guess)

    for broken in dict.fromkeys(["", believed]):
        try_also(broken)
    if best() and errors[best()] >= CLEARLY * left:
        try_also(best())
    return best() if errors[best()] < CLEARLY * left else believed


def _words(joint: Joint) -> list[str]:
    """What a joint may be."""
    angles = np.linspace(joint.lower, joint.upper, ANGLES + 2)[1:-1]
    return [f"{joint.name}=limp", f"{joint.name}=missing", *(_stuck(joint, a) for a in angles)]


def _beside(guess: str, joints: Sequence[Joint], halving: int) -> list[str]:
    """The last joint of a guess stuck on both sides of its angle, half as far each time.

    None, unless it is one of `joints`, and stuck.
    """
    before, comma, last = guess.rpartition(",")
    name, _, word = last.partition("=")
    kind, _, angle = word.partition(":")
    found = []
    for joint in joints:
        if joint.name == name and kind == "stuck":
            step = (joint.upper - joint.lower) / (ANGLES + 1) / 2 ** (halving + 1)
            found = [_stuck(joint, float(angle) + one) for one in (-step, step)]
    return [before + comma + word for word in found]


def _stuck(joint: Joint, angle: float) -> str:
    return f"{joint.name}=stuck:{angle:.3f}"


def in_words(broken: str) -> str:
    """Say which joints are broken."""
    found = [f"{joint} were {word.partition(':')[0]}" for joint, word in by_joint(broken).items()]
    return " and ".join(found) or "no joint were broken"
