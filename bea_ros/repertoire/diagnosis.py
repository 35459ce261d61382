# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Finds joints of a robot that are broken, from how much it moves unlike a simulated one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from bea_ros.robots import Robot
from bea_ros.robots.damage import words_of

EXPLAINED = 0.004  # m, difference of displacements that needs no broken joint
CLEARLY = 0.6  # share of the difference that a better explanation leaves
ANGLES = 7  # at which a stuck joint is tried


def diagnosed(believed: str, left: float, error: Callable[[str], float], robot: Robot) -> str:
    """Return which joints are limp or stuck, as in `words_of`; empty: none.

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
        """Try each further joint, and the angle of one that seems stuck."""
        others = [joint for joint in robot.joints if joint.name not in words_of(broken)]
        for joint, kind in product(others, ("limp", "stuck")):
            guess = f"{broken},{joint.name}={kind}".strip(",")
            errors[guess] = error(guess)
        for joint in others:
            if best().endswith(f"{joint.name}=stuck"):
                angles = np.linspace(joint.lower, joint.upper, ANGLES + 2)[1:-1]
                errors.update({g: error(g) for g in [f"{best()}:{angle:.3f}" for angle in angles]})

    for broken in dict.fromkeys(["", believed]):
        try_also(broken)
    if best() and errors[best()] >= CLEARLY * left:
        try_also(best())
    return best() if errors[best()] < CLEARLY * left else believed


def in_words(broken: str) -> str:
    """Say which joints are broken."""
    found = [f"{joint} were {word.partition(':')[0]}" for joint, word in words_of(broken).items()]
    return " and ".join(found) or "no joint were broken"
