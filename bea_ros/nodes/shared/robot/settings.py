# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The settings that the robot's nodes report: they must stay the same while a run lasts.

A node that somebody starts again with others moves or measures the robot in another way.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bea_ros.nodes.shared.parameters import check_all
from bea_ros.nodes.shared.robot.answers import Interrupted, RobotSilent
from bea_ros.nodes.shared.robot_parameters import CONTROL_RATE, PHYSICS_PARAMETERS, physics_of
from bea_ros.robots import Robot
from bea_ros.robots.damage import Damage, damages_of
from bea_ros.robots.reach import Reach
from bea_ros.simulation.physics import Physics

if TYPE_CHECKING:
    from bea_ros.localization.arena import Arena  # which loads OpenCV

PROCESS = "process"  # of a simulator
DAMAGE = "damage."  # of a simulated robot's joints, which may change while its process runs
WORLD = (*PHYSICS_PARAMETERS, CONTROL_RATE)
ROBOT = re.compile(r"robot [\w-]+ [0-9a-f]{8}")


def words_of(**settings: object) -> str:
    """Return settings as a node reports them: "gain 1.0, shaped False"."""
    return ", ".join(f"{name} {value}" for name, value in settings.items())


def checksum(content: object) -> str:
    """Return a short name of a file's content, as read: other content has another name."""
    return f"{zlib.crc32(repr(content).encode()):08x}"


def measured_in(arena: Arena, robot: Robot, **more: object) -> str:
    """Return the settings of what measures this robot in this arena, and more of them."""
    return f"{arena.frame}, {words_of(robot=robot.check, **more)}"


def world_in(reported: str, robot: Robot) -> tuple[Physics, Mapping[str, Damage], float] | None:
    """Return physics, damages and control rate (Hz) that a simulator reports.

    None of a robot, and of a simulator that could not have these parameters.
    """
    values = dict(word.split(" ", 1) for word in reported.split(", ") if " " in word)
    known = {one.name for one in WORLD} & set(values)
    if known <= {CONTROL_RATE.name}:
        return None
    try:
        damages = {n.removeprefix(DAMAGE): v for n, v in values.items() if n.startswith(DAMAGE)}
        found = check_all(WORLD, {name: float(values[name]) for name in known}, "simulator")
        return physics_of(found), damages_of(damages, robot), found[CONTROL_RATE.name]
    except ValueError:
        return None


class Settings:
    """Compares what nodes report with what the learner knows, and with what they said before."""

    def __init__(self, reach: Reach, arena: Arena) -> None:
        known = {
            "cpg_controller": reach.settings,
            "camera_localization": measured_in(arena, reach.robot),
            "the robot": words_of(robot=reach.robot.check),
        }
        self._known = {who: words.split(", ") for who, words in known.items()}
        self._reporting: set[str] = set()

    def check(self, who: str, reported: str) -> None:
        """Raise RobotSilent if a node reports other settings.

        Text without a robot's name and hash is that of somebody else's node, which reports none.
        Raises Interrupted if it answers in place of one that reports some: a second server, that
        left before it was seen.
        """
        words, known = reported.split(", "), self._known.get(who, [])
        if not any(ROBOT.fullmatch(word) for word in words):
            if who in self._reporting:
                raise Interrupted(f"somebody else answered for {who}: the answer is ignored")
            return
        lasting = any(word in words for word in known if word.startswith(PROCESS))
        changing = (PROCESS, DAMAGE) if lasting else (PROCESS,)
        if missing := [w for w in known if w not in words and not w.startswith(changing)]:
            names = {word.split()[0] for word in missing}
            theirs = [word for word in words if word.split()[0] in names]
            raise RobotSilent(
                f"{who} has {', '.join(theirs)}, this run {', '.join(missing)}: give both the same"
            )
        self._known[who] = words
        self._reporting.add(who)
