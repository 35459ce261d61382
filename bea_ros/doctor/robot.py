# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the files of a robot, and describes the robot."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import mujoco
import numpy as np
from rich.console import Console
from rich.table import Table

from bea_ros.localization.arena import Arena, ArenaError, load_arena
from bea_ros.localization.markers.aruco import is_mirrored
from bea_ros.robots import Box, Robot, RobotError, load_robot
from bea_ros.simulation.world import SimulationError, World
from bea_ros.system.resources import resource_path

VARIANTS = (("small", "nominal"), ("small", "measured"), ("large", "nominal"))
OVERLAP = 0.001  # m that modules may overlap by rounding
LEVEL = math.radians(20)  # largest tilt at rest of a robot that stands
SAG = 0.05  # m that a robot at rest may be lower than with all joints at 0
BENT = 0.25  # share of their range to which joints are bent to test the servos' strength
UNSTABLE = "its simulation is unstable: look at its masses and inertias"
FULL = 0.95  # share of a servo's torque that counts as its full torque


def check_robot(robot: str, arena: str) -> int:
    """Print the problems of a robot (a name, or the path of a NAME.urdf.xacro) in an arena.

    Without problems, print its joints, couplings and parameters. Returns 0 without problems, or 1.
    """
    console = Console(highlight=False, soft_wrap=True)
    for generation, masses in VARIANTS:
        try:
            found = load_robot(robot, generation, masses)
            wrong = list(problems(found, arena))
        except RobotError as error:
            wrong = [str(error)]
        for problem in wrong:
            console.print(f"[red]wrong[/]  {generation} modules, {masses} masses: ", end="")
            console.print(problem, markup=False)
        if wrong:
            return 1
        if (generation, masses) == VARIANTS[0]:
            describe(found, Console(highlight=False, soft_wrap=True, markup=False, emoji=False))
    if is_mirrored(load_arena(found, arena).dictionary, found.marker.id):
        console.print(
            f"[yellow]unwise[/] marker {found.marker.id}: its mirror image, as in a window, looks "
            "like the marker itself: choose another marker_id"
        )
    console.print("all is well, with modules of both generations")
    return 0


def problems(robot: Robot, arena: str = "") -> Iterator[str]:
    """The problems of a robot that could be loaded, a line each."""
    try:
        Arena.load(arena or resource_path("config/arena.yaml"))
    except ArenaError as error:
        yield str(error)
    else:
        try:
            load_arena(robot, arena)
        except ArenaError as error:
            yield f"{error}: choose another marker_id, or change the arena's markers"
    overlaps = list(_overlaps(robot))
    yield from overlaps
    if not overlaps:
        yield from _at_rest(robot)


def describe(robot: Robot, console: Console) -> None:
    """Print a robot's joints, couplings and parameters."""
    joints, couplings = len(robot.joints), len(robot.couplings)
    console.print(
        f"{robot.name}: {joints} joints + {couplings} couplings = "
        f"{len(robot.parameter_names)} CPG parameters, {1000 * robot.mass:.0f} g, "
        f"stands {1000 * robot.standing_height:.0f} mm high, marker {robot.marker.id} of "
        f"{1000 * robot.marker.size:.0f} mm"
    )
    if not couplings:
        console.print(
            "no two joints are two cells of the module grid apart: its CPG has no couplings, and "
            "each joint moves by itself"
        )
    table = Table("joint", "cell", "from, to (rad)", "N m", "rad/s", "coupled to")
    names = [joint.name for joint in robot.joints]
    for i, joint in enumerate(robot.joints):
        others = [names[k] for pair in robot.couplings if i in pair for k in pair if k != i]
        table.add_row(
            joint.name,
            f"{joint.grid[0]}, {joint.grid[1]}",
            f"{joint.lower:.2f}, {joint.upper:.2f}",
            f"{joint.effort:.3f}",
            f"{joint.velocity:.2f}",
            ", ".join(others) or "-",
        )
    console.print(table)


def _overlaps(robot: Robot) -> Iterator[str]:
    """Modules that overlap with all joints at 0."""
    tree, poses = robot.tree, robot.tree.poses({})
    joined = {frozenset((joint.parent, joint.child)) for joint in tree.joints}
    boxes = [box for boxes in tree.collisions.values() for box in boxes]
    for one, other in itertools.combinations(boxes, 2):
        if one.link == other.link or frozenset((one.link, other.link)) in joined:
            continue
        depth = _depth(one, poses[one.link], other, poses[other.link])
        if depth > OVERLAP:
            yield f"{one.link} and {other.link} overlap by {1000 * depth:.0f} mm"


def _depth(one: Box, one_link: np.ndarray, other: Box, other_link: np.ndarray) -> float:
    """Penetration depth (m) of two boxes: the minimum over separating axes; below 0 if apart."""
    a, b = one_link @ one.pose, other_link @ other.pose
    edges = [np.cross(x, y) for x in a[:3, :3].T for y in b[:3, :3].T]
    axes = [*a[:3, :3].T, *b[:3, :3].T, *(e for e in edges if np.linalg.norm(e) > 1e-6)]
    apart = b[:3, 3] - a[:3, 3]

    def depth(axis: np.ndarray) -> float:
        axis = axis / np.linalg.norm(axis)
        reach = sum(
            np.abs(axis @ pose[:3, :3]) @ box.size / 2 for pose, box in ((a, one), (b, other))
        )
        return float(reach - abs(apart @ axis))

    return min(map(depth, axes))


def _at_rest(robot: Robot) -> Iterator[str]:
    """Problems of the simulated robot at rest, with all joints commanded to neutral."""
    try:
        world = World(robot)
    except (ValueError, mujoco.FatalError) as error:
        yield str(error)
        return
    if not np.isfinite(world.data.qpos).all() or world.data.warning.number.any():
        yield UNSTABLE
        return
    if world.tilt > LEVEL:
        yield (
            f"it falls over: at rest it is tilted by {math.degrees(world.tilt):.0f} degrees, "
            "and the camera may lose its marker"
        )
    try:
        weak = _weak(world)
    except SimulationError:
        yield UNSTABLE
        return
    if 2 * len(weak) >= len(robot.joints):
        yield f"it is too heavy for its servos: bent, {', '.join(weak)} give all they have"
    sag = robot.standing_height - world.base_pose()[2, 3]
    if world.tilt <= LEVEL and sag > SAG:
        yield f"at rest it is {1000 * sag:.0f} mm lower than it should stand"


def _weak(world: World) -> list[str]:
    """Servos that need their full torque to hold the robot with all joints bent either way."""
    joints = world.robot.joints
    neutral = np.array([joint.neutral for joint in joints])
    reach = np.array([(joint.upper - joint.lower) / 2 for joint in joints])
    efforts = np.array([joint.effort for joint in joints])
    weak = np.zeros(len(joints), bool)
    for way in (BENT, -BENT):
        world.reset()
        for share in np.linspace(0, way, 20):  # slowly, as when a robot stands up
            world.step(neutral + share * reach, 0.1)
        world.step(neutral + way * reach, 1.0)
        torques = [abs(world.data.actuator(joint.name).force[0]) for joint in joints]
        weak |= np.array(torques) > FULL * efforts
    return [joint.name for joint, is_weak in zip(joints, weak, strict=True) if is_weak]
