# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Broken joints: limp, stuck at an angle, or missing with everything they carry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bea_ros.robots.description import Joint, Robot

KINDS = ("none", "limp", "stuck", "missing")


class DamageError(ValueError):
    """An invalid damage; the message is one line."""


@dataclass(frozen=True)
class Damage:
    """Damage of a joint: one of KINDS, and the angle (rad) if it is stuck."""

    kind: str = "none"
    angle: float = 0.0

    @classmethod
    def of(cls, word: str, joint: Joint) -> Damage:
        """Parse a word such as `limp` or `stuck:0.5`; raises DamageError."""
        kind, colon, angle = word.partition(":")
        allowed = (
            f"damage of {joint.name} is {word!r}: allowed is one of {', '.join(KINDS)}, or "
            f"stuck:ANGLE from {joint.lower:.3g} to {joint.upper:.3g} rad"
        )
        if kind not in KINDS or (colon and kind != "stuck"):
            raise DamageError(allowed)
        try:
            at = float(angle) if colon else joint.neutral
        except ValueError:
            raise DamageError(allowed) from None
        if not (math.isfinite(at) and joint.lower <= at <= joint.upper):
            raise DamageError(allowed)
        return cls(kind, at if kind == "stuck" else 0.0)


def damages_of(words: Mapping[str, str], robot: Robot) -> dict[str, Damage]:
    """Parse the damage of each joint, as `Damage.of` does.

    Raises DamageError, also if the robot does not have a joint.
    """
    joints = {joint.name: joint for joint in robot.joints}
    for name in words:
        if name not in joints:
            raise DamageError(
                f"{robot.name} has no joint '{name}' to damage, only {', '.join(joints)}"
            )
    found = {name: Damage.of(word, joints[name]) for name, word in words.items()}
    return {name: damage for name, damage in found.items() if damage.kind != "none"}


def by_joint(text: str) -> dict[str, str]:
    """Split a text such as `leg_00=limp,leg_10=stuck:0.5` by joint; raises DamageError."""
    found = {}
    for part in filter(None, map(str.strip, text.split(","))):
        joint, equals, word = (piece.strip() for piece in part.partition("="))
        if not equals or not joint or joint in found:
            raise DamageError(f"damage '{part}': JOINT=limp, stuck:ANGLE or missing, each once")
        found[joint] = word.replace(" ", "")
    return found
