# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Robots: one xacro file and one YAML of numbers each; everything else about a robot is derived
from them.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import xacro
from numpy.typing import NDArray

from bea_ros.robots.urdf import Box, UrdfError, UrdfTree, hash_of, parse_urdf
from bea_ros.system.files import check_regular
from bea_ros.system.resources import resource_path
from bea_ros.system.untrusted_xacro import XacroError, expand
from bea_ros.system.yaml_files import read_yaml

GENERATIONS = ("small", "large")
MASSES = ("nominal", "measured")
XACRO_SUFFIX = ".urdf.xacro"
DIGITS = 4  # largest number of digits of a marker's id
MARKER = "marker"  # name of the plate's link and of the visual that is the marker's black square
# Gap between the lowest module and the floor (m), as in Revolve (z = 0.025 m).
SPAWN_CLEARANCE = 0.0025
_XACRO = threading.Lock()  # xacro keeps its open files in global variables


class RobotError(ValueError):
    """An unknown robot, or an error in its files; the message is one line."""


@dataclass(frozen=True)
class Joint:
    """An active hinge: limits in rad, N m and rad/s, and its cell in the module grid."""

    name: str
    lower: float
    upper: float
    effort: float
    velocity: float
    grid: tuple[int, int]

    @property
    def neutral(self) -> float:
        """The middle between the limits (rad)."""
        return (self.lower + self.upper) / 2


@dataclass(frozen=True, eq=False)
class Marker:
    """ArUco marker on the robot: id, edge of its black square (m), pose (4, 4) in base_link.

    Its frame has x right and y up in the marker's image and z out of it.
    """

    id: int
    size: float
    pose: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Robot:
    """A robot as its URDF describes it. In base_link, x points forward, y left and z up."""

    name: str
    urdf: str
    tree: UrdfTree
    joints: list[Joint]  # sorted by grid cell
    marker: Marker
    modules: list[Box]  # for drawing; without the square of the marker

    @property
    def couplings(self) -> list[tuple[int, int]]:
        """Pairs i < j of joints |dx| + |dy| == 2 cells apart (Revolve, DifferentialCPG.cpp)."""
        cells = [joint.grid for joint in self.joints]
        return [
            (i, j)
            for i, (xi, yi) in enumerate(cells)
            for j, (xj, yj) in enumerate(cells)
            if i < j and abs(xi - xj) + abs(yi - yj) == 2
        ]

    @property
    def parameter_names(self) -> list[str]:
        """Joints' own weights, then couplings, e.g. `leg_00` and `leg_00-leg_10`."""
        names = [joint.name for joint in self.joints]
        return names + [f"{names[i]}-{names[j]}" for i, j in self.couplings]

    @cached_property
    def check(self) -> str:
        """Name, and a hash of the URDF."""
        return f"{self.name} {hash_of(self.urdf)[:8]}"

    @property
    def mass(self) -> float:
        """Mass in kg, the marker plate included."""
        return sum(self.tree.masses.values())

    @cached_property
    def standing_height(self) -> float:
        """Height of base_link (m) above the floor, all joints in the middle of their limits."""
        neutral = {joint.name: joint.neutral for joint in self.joints}
        return self._just_above_floor(neutral) - SPAWN_CLEARANCE

    @property
    def spawn_height(self) -> float:
        """Height of base_link (m) at which the robot, all joints at 0, is just above the floor."""
        return self._just_above_floor({})

    def _just_above_floor(self, angles: Mapping[str, float]) -> float:
        poses = self.tree.poses(angles)
        lowest = min(
            _lowest_point(poses[link] @ box.pose, box.size)
            for link, boxes in self.tree.collisions.items()
            for box in boxes
        )
        return SPAWN_CLEARANCE - lowest


def robot_names() -> list[str]:
    """Names of the robots that come with the package."""
    return sorted(
        path.name.removesuffix(XACRO_SUFFIX)
        for path in resource_path("urdf").glob(f"*{XACRO_SUFFIX}")
    )


def load_robot(robot: str | Path, generation: str = "small", masses: str = "nominal") -> Robot:
    """Load a robot by its name, or from a file NAME.urdf.xacro with NAME.yaml beside it.

    Args:
        robot: name or path. A marker id after a colon replaces the one in the YAML: `spider9:8` is
            a second spider9.
        generation: "small" (v0 modules) or "large" (v1).
        masses: "nominal" (Revolve's simulation) or "measured" (the real small modules).

    Raises:
        RobotError: the robot is unknown, or its files have an error.
    """
    if generation not in GENERATIONS:
        raise RobotError(
            f"module generation {generation!r} is not one of {', '.join(GENERATIONS)}"
        )
    if masses not in MASSES or (masses, generation) == ("measured", "large"):
        raise RobotError(
            f"masses {masses!r} are not known for {generation} modules; nominal always are"
        )
    kind, marker_id = kind_and_marker(robot)
    description, numbers = _files(kind)
    mappings = {
        "generation": generation,
        "masses": masses,
        "modules": str(resource_path("urdf/modules")),
    }
    try:
        own_id = _marker_id(numbers)
        if kind in robot_names():
            urdf = _expand_own(description, tuple(mappings.items()))
        else:
            urdf = expand(description, mappings)
        tree = parse_urdf(urdf)
        marker = _marker(tree, own_id if marker_id is None else marker_id)
        modules = [box for boxes in tree.visuals.values() for box in boxes if box.name != MARKER]
        found = Robot(tree.name, urdf, tree, _joints(tree), marker, modules)
        for name, times in Counter(found.parameter_names).items():
            if times > 1:  # weights are told by name
                raise UrdfError(f"two CPG parameters are named {name!r}: rename its joints")
        return found
    except UrdfError as error:
        raise RobotError(f"{description}: {error}") from error
    except XacroError as error:
        raise RobotError(f"{description}: xacro: {error}") from error


@cache  # loading takes 0.1 s
def _expand_own(description: Path, mappings: tuple[tuple[str, str], ...]) -> str:
    with _XACRO:
        document = xacro.process_file(str(description), mappings=dict(mappings))
    return str(document.toprettyxml(indent="  "))


def absolute_robot(robot: str) -> str:
    """Return a name that is valid in any directory: a robot's name, or its absolute path."""
    kind, marker_id = kind_and_marker(robot)
    if not kind.endswith(XACRO_SUFFIX):
        return robot
    path = str(Path(kind).absolute())
    return path if marker_id is None else f"{path}:{marker_id}"


def robot_name(robot: str) -> str:
    """Return the name of a robot, given its name or the path of its file."""
    return Path(kind_and_marker(robot)[0]).name.removesuffix(XACRO_SUFFIX)


def kind_and_marker(robot: str | Path) -> tuple[str, int | None]:
    """Split `spider9:8` into the name or path of a robot and its marker id, if there is one."""
    kind, colon, marker_id = str(robot).rpartition(":")
    if colon and marker_id.isdecimal() and marker_id.isascii() and len(marker_id) <= DIGITS:
        return kind, int(marker_id)
    return str(robot), None


def _files(text: str) -> tuple[Path, Path]:
    if text in robot_names():
        description = resource_path(f"urdf/{text}{XACRO_SUFFIX}")
        return description, resource_path(f"config/robots/{text}.yaml")
    path = Path(text)
    if not text.endswith(XACRO_SUFFIX):
        raise RobotError(
            f"unknown robot {text!r}; known: {', '.join(robot_names())}, "
            f"or the path of a NAME{XACRO_SUFFIX}"
        )
    numbers = path.with_name(path.name.removesuffix(XACRO_SUFFIX) + ".yaml")
    for file in (path, numbers):
        try:
            check_regular(file)
        except FileNotFoundError:
            raise RobotError(f"robot file {file} does not exist") from None
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            reason = error.strerror if isinstance(error, OSError) else error
            raise RobotError(f"robot file {file} cannot be read: {reason}") from error
    return path, numbers


def _marker_id(numbers: Path) -> int:
    values = read_yaml("robot's numbers", numbers, UrdfError)
    if not isinstance(values, dict) or set(values) != {"marker_id"}:
        raise UrdfError(f"{numbers} must hold marker_id and nothing else")
    marker_id = values["marker_id"]
    if not isinstance(marker_id, int) or isinstance(marker_id, bool) or marker_id < 0:
        raise UrdfError(f"{numbers}: marker_id must be a whole number from 0, not {marker_id!r}")
    return marker_id


def _marker(tree: UrdfTree, marker_id: int) -> Marker:
    squares = [box for box in tree.visuals.get(MARKER, []) if box.name == MARKER]
    anchor, pose = tree.anchors().get(MARKER, ("", np.eye(4)))
    if len(squares) != 1 or anchor != tree.root:
        raise UrdfError(
            f"needs a link {MARKER!r} fixed to base_link with one visual named {MARKER!r}"
        )
    return Marker(marker_id, float(squares[0].size[0]), pose)


def _joints(tree: UrdfTree) -> list[Joint]:
    if tree.root != "base_link":
        raise UrdfError(f"the root link must be base_link, not {tree.root!r}")
    cells = _grid(tree)
    joints = [
        Joint(joint.name, grid=cells[joint.child], **joint.limits)
        for joint in tree.joints
        if joint.kind == "revolute"
    ]
    if not joints:
        raise UrdfError("has no revolute joint")
    joints.sort(key=lambda joint: joint.grid)
    for first, second in itertools.pairwise(joints):
        if first.grid == second.grid:
            raise UrdfError(
                f"joints {first.name!r} and {second.name!r} share the grid cell {first.grid}"
            )
    return joints


def _grid(tree: UrdfTree) -> dict[str, tuple[int, int]]:
    """Return the grid cell of each link. A mounted link is one cell ahead; roll is ignored.

    The first coordinate grows along -x of base_link, the second along +y (Revolve's N and E;
    revolve_bot.py, update_substrate).
    """
    cells = {tree.root: (0, 0)}
    headings = {tree.root: 0}
    for joint in tree.joints:
        x, y = cells[joint.parent]
        heading = headings[joint.parent]
        if joint.kind == "fixed":
            quarter_turns = joint.rpy[2] / (math.pi / 2)
            if abs(quarter_turns - round(quarter_turns)) > 1e-6 or abs(joint.rpy[1]) > 1e-6:
                raise UrdfError(f"joint {joint.name!r} is not mounted on a slot (rpy {joint.rpy})")
            heading = (heading + round(quarter_turns)) % 4
            dx, dy = ((-1, 0), (0, 1), (1, 0), (0, -1))[heading]
            x, y = x + dx, y + dy
        cells[joint.child], headings[joint.child] = (x, y), heading
    return cells


def _lowest_point(pose: NDArray[np.float64], size: NDArray[np.float64]) -> float:
    return float(pose[2, 3] - np.abs(pose[2, :3]) @ size / 2)
