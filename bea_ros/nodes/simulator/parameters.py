# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator's parameters, and the physics, damage and camera that they define."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from sensor_msgs.msg import CameraInfo

from bea_ros.localization.arena import Arena
from bea_ros.localization.camera_info import model_of
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.nodes.shared.parameters import Parameter, check_all
from bea_ros.nodes.shared.robot.settings import words_of
from bea_ros.nodes.shared.robot_parameters import (
    ARENA_PARAMETERS,
    CONTROL_RATE,
    MOTOR,
    PHYSICS_PARAMETERS,
    ROBOT_PARAMETERS,
    robot_of,
)
from bea_ros.robots import Robot
from bea_ros.robots.damage import Damage, damages_of
from bea_ros.simulation.camera.overhead import (
    Appearance,
    OverheadCamera,
    default_intrinsics,
    overhead_pose,
)
from bea_ros.simulation.observed import (
    CAMERA_HEIGHT,
    CAMERA_PITCH,
    CAMERA_ROLL,
    IMAGE_RATE,
)

OF_JOINTS = "damage.JOINT"  # one for each joint
DAMAGE = Parameter(
    OF_JOINTS, "none", "damage of each joint: none, limp, stuck (in the middle), stuck:ANGLE "
    "(rad) or missing with all that it carries; may change while the node runs", fixed=False,
)  # fmt: skip

CAMERA_PARAMETERS = [
    Parameter("camera.width", 640, "pixels", 64, 8192),
    Parameter("camera.height", 480, "pixels", 48, 8192),
    Parameter("camera.encoding", "mono8", "encoding of the images", choices=("mono8", "rgb8")),
    Parameter("camera.rate", IMAGE_RATE, "images per s, at most the control rate", 0.1, 200.0),
    Parameter("camera.delay", 0.0, "s between what an image shows and its stamp", 0.0, 0.5),
    Parameter("camera.z", CAMERA_HEIGHT, "height above the floor, m", 0.3, 20.0),
    Parameter("camera.x", 0.0, "m from the arena's centre", -10.0, 10.0),
    Parameter("camera.y", 0.0, "m from the arena's centre", -10.0, 10.0),
    Parameter("camera.roll", CAMERA_ROLL, "tilt about the map's x axis, rad", -0.8, 0.8),
    Parameter("camera.pitch", CAMERA_PITCH, "tilt about the map's y axis, rad", -0.8, 0.8),
    Parameter("camera.blur", 0.6, "standard deviation of the lens blur, pixels", 0.0, 20.0),
    Parameter("camera.noise", 2.0, "standard deviation of the noise, grey levels", 0.0, 100.0),
    Parameter("camera.brightness", 1.0, "exposure, 0 is darkness", 0.0, 10.0),
    Parameter("camera.glare", 0.0, "brightness of the lamp's reflection on the floor", 0.0, 1.0),
]  # fmt: skip

PARAMETERS = [
    *ROBOT_PARAMETERS,
    MOTOR,
    *ARENA_PARAMETERS,
    CONTROL_RATE,
    Parameter("lockstep", True, "wait for the controller's commands and for the localization"),
    Parameter("real_time_factor", 0.0, "simulated s per s at most; 0: no limit, and without "
              "lockstep 1", 0.0, 1000.0),
    Parameter("seed", 1, "seed of the camera's noise and of where the robot is put back", 0),
    Parameter("start.position", 0.0, "m, standard deviation of where the robot is put back; drawn "
              "at each reset, so a resumed run has other places than one without a break",
              0.0, 1.0),
    Parameter("start.yaw", 0.0, "rad, standard deviation of its heading there", 0.0, 3.2),
    *PHYSICS_PARAMETERS,
    DAMAGE,
    *CAMERA_PARAMETERS,
]  # fmt: skip


def robot_asked(given: Mapping[str, Any]) -> Robot:
    """Return the robot of the parameters given to a simulator; raises ValueError."""
    names = {parameter.name for parameter in ROBOT_PARAMETERS}
    own = {name: value for name, value in given.items() if name in names}
    return robot_of(check_all(ROBOT_PARAMETERS, own, "simulator"))


def of_robot(table: Iterable[Parameter], robot: Robot) -> list[Parameter]:
    """Return the parameters, with those of joints repeated for each joint of the robot."""
    joints = [OF_JOINTS.replace("JOINT", joint.name) for joint in robot.joints]
    return [
        replace(parameter, name=name)
        for parameter in table
        for name in (joints if parameter.name == OF_JOINTS else [parameter.name])
    ]


def damages_in(values: Mapping[str, Any], robot: Robot) -> dict[str, Damage]:
    """Return the damages of a simulator's parameters, by joint; raises DamageError."""
    prefix = OF_JOINTS.removesuffix("JOINT")
    words = {n.removeprefix(prefix): v for n, v in values.items() if n.startswith(prefix)}
    return damages_of(words, robot)


def settings_in(values: Mapping[str, Any], robot: Robot) -> str:
    """Return what decides how the robot moves and what the camera sees.

    Damages and the pace may change; the localization sees the arena.
    """
    kinds = ("control_rate", "lockstep", "motor", "seed", "camera.", "physics.", "start.")
    found = {name: value for name, value in values.items() if name.startswith(kinds)}
    return words_of(robot=robot.check, **found)


def starts_of(values: Mapping[str, Any]) -> Iterator[list[float]]:
    """Yield where a simulator puts the robot back each time: x, y (m) and yaw (rad)."""
    spread = np.array([values["start.position"]] * 2 + [values["start.yaw"]])
    rng = np.random.default_rng(values["seed"])
    rng.standard_normal(3)  # as in the first versions, so that a seed keeps its result
    while True:
        yield (spread * rng.standard_normal(3)).tolist()


def camera_of(values: dict[str, Any], arena: Arena) -> OverheadCamera:
    """The overhead camera of a simulator's parameters."""
    look = {field.name: values.get(f"camera.{field.name}") for field in fields(Appearance)}
    place = (values[f"camera.{name}"] for name in ("z", "x", "y", "roll", "pitch"))
    return OverheadCamera(
        arena,
        default_intrinsics(values["camera.width"], values["camera.height"]),
        overhead_pose(*place),
        Appearance(**{name: value for name, value in look.items() if value is not None}),
        values["camera.encoding"],
    )


def camera_info(intrinsics: Intrinsics) -> CameraInfo:
    """Return intrinsics as a message: plumb_bob, or rational_polynomial with more coefficients."""
    matrix = intrinsics.matrix
    projection = np.hstack([matrix, np.zeros((3, 1))])
    return CameraInfo(
        width=intrinsics.width,
        height=intrinsics.height,
        distortion_model=model_of(intrinsics),
        d=intrinsics.distortion.tolist(),
        k=matrix.ravel().tolist(),
        r=np.eye(3).ravel().tolist(),
        p=projection.ravel().tolist(),
    )
