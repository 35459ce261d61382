# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The arena as a world in SDF: floor, tape, printed corner markers, lamp and overhead camera."""

from __future__ import annotations

import math
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from scipy.spatial.transform import Rotation

from bea_ros.images.arrays import Array
from bea_ros.localization.arena import Arena, FloorMarker
from bea_ros.robots.description import Robot
from bea_ros.simulation.camera.floor import PAPER
from bea_ros.simulation.camera.overhead import default_intrinsics, overhead_pose
from bea_ros.simulation.observed import CAMERA_HEIGHT, CAMERA_PITCH, CAMERA_ROLL, IMAGE_RATE
from bea_ros.simulation.physics import Physics

WORLD = "arena"  # the world's name, part of the names of Gazebo's services
TIME_STEP = 0.002  # s; each step publishes /clock
FLOOR_THICKNESS = 0.02  # m; Ogre 1 draws a <plane> at the wrong depth
FLOOR_MARGIN = 2.5  # m of floor around the arena
TAPE_WIDTH, SHEET = 0.025, 0.001  # m; the tape's width, and the thickness of tape and paper
PUT_BACK = "put_back"  # topic; each message puts the robot back to its start
# Turns Gazebo's camera axes (x forward, z up) into those of an optical frame (z forward, y down).
OPTICAL = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])

SYSTEMS = {
    "gz-sim-physics-system": "gz::sim::systems::Physics",
    "gz-sim-user-commands-system": "gz::sim::systems::UserCommands",
    "gz-sim-scene-broadcaster-system": "gz::sim::systems::SceneBroadcaster",
}


@dataclass(frozen=True)
class Camera:
    """The overhead camera; `roll` and `pitch` (rad) as in overhead_pose.

    It has no lens distortion, but a wider angle of view: Gazebo's default render engine, Ogre 2,
    draws no distortion, although its camera_info would contain it.
    """

    width: int = 640  # pixels
    height: int = 480
    rate: float = IMAGE_RATE  # images per s
    x: float = 0.0  # m in map
    y: float = 0.0
    z: float = CAMERA_HEIGHT
    roll: float = CAMERA_ROLL
    pitch: float = CAMERA_PITCH
    noise: float = 2.0  # standard deviation, grey levels
    encoding: str = "mono8"

    @property
    def horizontal_fov(self) -> float:
        """The angle of view (rad) that covers all that the embedded simulator's camera sees."""
        rays = default_intrinsics(self.width, self.height).rays
        return 2 * math.atan(float(np.abs(rays[..., 0]).max()))

    @property
    def pose(self) -> Array:
        """Pose (4, 4) of Gazebo's camera frame (x forward, y left, z up) in map."""
        pose = overhead_pose(self.z, self.x, self.y, self.roll, self.pitch)
        pose[:3, :3] = pose[:3, :3] @ OPTICAL
        return pose


def world_sdf(
    arena: Arena,
    camera: Camera | None = None,
    robot: Robot | None = None,
    real_time_factor: float = 1.0,
) -> str:
    """Return the world, with the pictures of marker_file() and, with `robot`, ROBOT.urdf."""
    physics = Physics()
    sdf = Element("sdf", version="1.9")
    world = SubElement(sdf, "world", name=WORLD)
    stepping = SubElement(world, "physics", name="default", type="dart")
    text(stepping, "max_step_size", TIME_STEP)
    text(stepping, "real_time_factor", real_time_factor)
    text(world, "gravity", 0, 0, -physics.gravity)
    for filename, name in SYSTEMS.items():
        SubElement(world, "plugin", filename=filename, name=name)
    sensors = SubElement(
        world, "plugin", filename="gz-sim-sensors-system", name="gz::sim::systems::Sensors"
    )
    text(sensors, "render_engine", "ogre2")
    _scene(world)
    _floor(world, arena, physics.friction)
    for marker in arena.floor_markers:
        _marker(world, marker)
    _camera(world, camera or Camera())
    if robot:
        taken = [model.get("name", "") for model in world.iter("model")]
        if robot.name in taken:
            raise ValueError(
                f"the robot's name is that of a part of the world: {', '.join(taken)}"
            )
        _robot(world, robot)
    ElementTree.indent(sdf)
    return "<?xml version='1.0'?>\n" + ElementTree.tostring(sdf, encoding="unicode") + "\n"


def marker_file(marker_id: int) -> str:
    """Return the name of a marker's picture, which includes its white margin."""
    return f"marker_{marker_id}.png"


def printed(parent: Element, picture: str) -> None:
    """Add a matt material with a picture to a box's visual."""
    material = _coloured(parent, 1.0)
    metal = SubElement(SubElement(material, "pbr"), "metal")
    text(metal, "albedo_map", picture)
    text(metal, "roughness", 1)
    text(metal, "metalness", 0)


def _scene(world: Element) -> None:
    scene = SubElement(world, "scene")
    text(scene, "ambient", 0.6, 0.6, 0.6, 1)
    text(scene, "background", 0.24, 0.24, 0.24, 1)
    text(scene, "shadows", "false")  # Ogre 1's shadows darken everything
    text(scene, "grid", "false")
    light = SubElement(world, "light", name="lamp", type="directional")
    text(light, "pose", 0, 0, 4, 0, 0, 0)
    text(light, "cast_shadows", "false")
    text(light, "diffuse", 0.5, 0.5, 0.5, 1)
    text(light, "specular", 0, 0, 0, 1)
    text(light, "direction", 0.1, -0.07, -1)


def _floor(world: Element, arena: Arena, friction: float) -> None:
    link = _fixture(world, "floor", np.eye(4))
    collision = SubElement(link, "collision", name="ground")
    plane = SubElement(SubElement(collision, "geometry"), "plane")
    text(plane, "normal", 0, 0, 1)
    ode = SubElement(SubElement(SubElement(collision, "surface"), "friction"), "ode")
    text(ode, "mu", friction)
    text(ode, "mu2", friction)
    size = arena.width + 2 * FLOOR_MARGIN, arena.depth + 2 * FLOOR_MARGIN, FLOOR_THICKNESS
    _coloured(_box(link, "floor", (0, 0, -FLOOR_THICKNESS / 2), size), 0.53)
    width, depth = arena.width + TAPE_WIDTH, arena.depth + TAPE_WIDTH
    for side in (-1, 1):
        x, y = side * arena.width / 2, side * arena.depth / 2
        _coloured(_box(link, f"tape_x{side:+d}", (x, 0, 0), (TAPE_WIDTH, depth, SHEET)), 0.82)
        _coloured(_box(link, f"tape_y{side:+d}", (0, y, 0), (width, TAPE_WIDTH, SHEET)), 0.82)


def _marker(world: Element, marker: FloorMarker) -> None:
    link = _fixture(world, f"marker_{marker.id}", marker.pose())
    side = marker.size * PAPER
    printed(_box(link, "paper", (0, 0, 0), (side, side, SHEET)), marker_file(marker.id))


def _camera(world: Element, camera: Camera) -> None:
    link = _fixture(world, "overhead_camera", camera.pose)
    sensor = SubElement(link, "sensor", name="camera", type="camera")
    text(sensor, "topic", "image_raw")
    text(sensor, "update_rate", camera.rate)
    text(sensor, "always_on", "true")
    lens = SubElement(sensor, "camera")
    text(lens, "camera_info_topic", "camera_info")
    text(lens, "optical_frame_id", "camera_optical_frame")
    text(lens, "horizontal_fov", camera.horizontal_fov)
    image = SubElement(lens, "image")
    text(image, "width", camera.width)
    text(image, "height", camera.height)
    text(image, "format", "L8" if camera.encoding == "mono8" else "R8G8B8")
    clip = SubElement(lens, "clip")
    text(clip, "near", 0.1)
    text(clip, "far", 100)
    noise = SubElement(lens, "noise")
    text(noise, "type", "gaussian")
    text(noise, "mean", 0)
    text(noise, "stddev", camera.noise / 255)


def _robot(world: Element, robot: Robot) -> None:
    """Add the robot at its start, and a plugin that puts it back on a message on PUT_BACK."""
    include = SubElement(world, "include")
    text(include, "uri", f"{robot.name}.urdf")
    text(include, "name", robot.name)
    text(include, "pose", 0, 0, robot.spawn_height, 0, 0, 0)
    plugin = SubElement(
        world,
        "plugin",
        filename="gz-sim-triggered-publisher-system",
        name="gz::sim::systems::TriggeredPublisher",
    )
    SubElement(plugin, "input", type="gz.msgs.Empty", topic=f"/{PUT_BACK}")
    start = f"position {{ z: {robot.spawn_height:.6g} }} orientation {{ w: 1 }}"
    SubElement(
        plugin,
        "service",
        name=f"/world/{WORLD}/set_pose",
        reqType="gz.msgs.Pose",
        repType="gz.msgs.Boolean",
        timeout="3000",
        reqMsg=f"name: '{robot.name}' {start}",
    )


def _fixture(world: Element, name: str, pose: Array) -> Element:
    """Add a static model at `pose`, shape (4, 4), in map; returns its link."""
    model = SubElement(world, "model", name=name)
    text(model, "static", "true")
    angles = Rotation.from_matrix(pose[:3, :3]).as_euler("xyz")
    text(model, "pose", *pose[:3, 3], *angles)
    return SubElement(model, "link", name="link")


def _box(link: Element, name: str, centre: tuple[float, ...], size: tuple[float, ...]) -> Element:
    visual = SubElement(link, "visual", name=name)
    text(visual, "pose", *centre, 0, 0, 0)
    text(SubElement(SubElement(visual, "geometry"), "box"), "size", *size)
    return visual


def _coloured(visual: Element, grey: float) -> Element:
    material = SubElement(visual, "material")
    text(material, "ambient", grey, grey, grey, 1)
    text(material, "diffuse", grey, grey, grey, 1)
    text(material, "specular", 0, 0, 0, 1)
    return material


def text(parent: Element, tag: str, *values: float | str) -> None:
    words = [v if isinstance(v, str) else f"{v:.9g}" for v in values]
    SubElement(parent, tag).text = " ".join(words)
