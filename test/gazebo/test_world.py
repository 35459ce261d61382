# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The world that Gazebo loads is the arena of config/arena.yaml."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from bea_ros.gazebo import Camera, robot_urdf, world_sdf, write_gazebo
from bea_ros.localization.arena import Arena, ArenaError, load_arena
from bea_ros.localization.markers.aruco import make_detector
from bea_ros.robots import load_robot, robot_names
from bea_ros.simulation.camera.overhead import default_intrinsics, overhead_pose
from bea_ros.simulation.motors import ARMATURE_PER_EFFORT

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "config" / "gazebo"


def tensor(inertia: ElementTree.Element) -> np.ndarray:
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    xx, xy, xz, yy, yz, zz = (float(inertia.get(name, 0)) for name in names)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena.load(ROOT / "config" / "arena.yaml")


@pytest.fixture(scope="module")
def world(arena: Arena) -> ElementTree.Element:
    found = ElementTree.fromstring(world_sdf(arena)).find("world")
    assert found is not None
    return found


def numbers(element: ElementTree.Element, path: str) -> list[float]:
    return [float(word) for word in str(element.findtext(path)).split()]


def test_the_committed_world_is_up_to_date(arena: Arena, tmp_path: Path) -> None:
    write_gazebo(tmp_path, arena)
    made = sorted(path.name for path in tmp_path.iterdir())
    assert made == ["arena.sdf", *(f"marker_{m.id}.png" for m in arena.floor_markers)]
    hint = "run: bea gazebo config/gazebo"
    assert (OURS / "arena.sdf").read_text() == (tmp_path / "arena.sdf").read_text(), hint
    for name in made[1:]:
        assert (cv2.imread(str(OURS / name)) == cv2.imread(str(tmp_path / name))).all(), hint


def test_markers_lie_where_the_arena_says(arena: Arena, world: ElementTree.Element) -> None:
    for marker in arena.floor_markers:
        model = world.find(f"model[@name='marker_{marker.id}']")
        assert model is not None
        x, y, z, roll, pitch, yaw = numbers(model, "pose")
        assert (x, y, yaw) == (marker.x, marker.y, marker.yaw)
        assert z == roll == pitch == 0
        side, depth, height = numbers(model, "link/visual/geometry/box/size")
        assert side == depth == pytest.approx(marker.size * 1.35)
        assert height <= 0.001


@pytest.mark.parametrize("index", range(5))
def test_pictures_are_the_markers(arena: Arena, tmp_path: Path, index: int) -> None:
    robot = load_robot("spider9")
    write_gazebo(tmp_path, arena, robot)
    marker = [arena.robot_marker, *arena.floor_markers][index]
    image = cv2.imread(str(tmp_path / f"marker_{marker.id}.png"), cv2.IMREAD_GRAYSCALE)
    image = cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE)  # as Gazebo does
    (corners,), (found,) = make_detector(arena.dictionary)(image)
    assert found == marker.id
    # Top left first: nothing turned or mirrored; and as large on the box as in the arena.
    assert (np.argmin(corners.sum(1)), np.argmax(corners.sum(1))) == (0, 2)
    white = 1.25 if index == 0 else 1.35
    assert np.ptp(corners[:, 0]) * white == pytest.approx(image.shape[1], abs=3)


def test_the_camera_hangs_and_looks_as_the_simulators(world: ElementTree.Element) -> None:
    model = world.find("model[@name='overhead_camera']")
    assert model is not None
    x, y, z, *angles = numbers(model, "pose")
    default = overhead_pose(2.5, roll=0.02, pitch=-0.015)
    assert (x, y, z) == (0, 0, 2.5)
    turn = Rotation.from_euler("xyz", angles).as_matrix()
    # Gazebo's x looks along the optical axis, its -y is the image's right, its -z down.
    assert turn[:, 0] == pytest.approx(default[:3, 2], abs=1e-6)
    assert -turn[:, 1] == pytest.approx(default[:3, 0], abs=1e-6)
    assert -turn[:, 2] == pytest.approx(default[:3, 1], abs=1e-6)
    sensor = model.find("link/sensor")
    assert sensor is not None
    assert numbers(sensor, "camera/horizontal_fov") == [pytest.approx(Camera().horizontal_fov)]
    assert numbers(sensor, "camera/image/width") == [640]
    assert numbers(sensor, "camera/image/height") == [480]
    assert numbers(sensor, "update_rate") == [4]
    assert sensor.find("camera/distortion") is None


def test_the_camera_sees_what_the_simulators_sees() -> None:
    camera = Camera()
    focal = camera.width / 2 / math.tan(camera.horizontal_fov / 2)
    rays = default_intrinsics(camera.width, camera.height).rays.reshape(-1, 2)
    assert np.abs(rays * focal).max(0) == pytest.approx(
        [camera.width / 2, camera.height / 2], abs=1.0
    )


@pytest.mark.parametrize("name", robot_names())
def test_a_robot_starts_as_in_the_simulator_and_is_put_back_there(name: str) -> None:
    robot = load_robot(name)
    world = ElementTree.fromstring(world_sdf(load_arena(robot), robot=robot)).find("world")
    assert world is not None
    assert world.findtext("include/uri") == f"{name}.urdf"
    assert numbers(world, "include/pose") == [0, 0, pytest.approx(robot.spawn_height), 0, 0, 0]
    service = world.find("plugin/service")
    assert service is not None
    assert service.get("name") == "/world/arena/set_pose"
    assert service.get("reqMsg", "").startswith(f"name: '{name}' position {{ z: 0.0")


@pytest.mark.parametrize("name", robot_names())
@pytest.mark.parametrize("generation", ["small", "large"])
def test_gazebos_robot_is_the_robot_with_servos(name: str, generation: str) -> None:
    robot = load_robot(name, generation)
    made = ElementTree.fromstring(robot_urdf(robot, "servo"))
    servos = made.find("gazebo/plugin[@name='gz::sim::systems::JointTrajectoryController']")
    assert servos is not None
    assert [e.text for e in servos.findall("joint_name")] == [j.name for j in robot.joints]
    for tag, factor in (
        ("position_p_gain", 1 / 0.196),
        ("position_cmd_max", 1),
        ("position_cmd_min", -1),
    ):
        values = [float(str(e.text)) for e in servos.findall(tag)]
        assert values == pytest.approx([j.effort * factor for j in robot.joints], rel=1e-6)
    original = ElementTree.fromstring(robot.urdf)
    for mine, its in zip(
        made.iterfind("joint/dynamics"), original.iterfind("joint/dynamics"), strict=True
    ):
        damping = float(its.get("damping", "nan"))
        assert float(mine.get("damping", "nan")) == pytest.approx(damping / 10, rel=1e-4)
        mine.set("damping", its.get("damping", ""))
    turned = {joint.name: joint for joint in robot.tree.joints}
    for servo in robot.joints:
        joint = turned[servo.name]
        mine, its = (
            root.find(f"link[@name='{joint.child}']/inertial/inertia") for root in (made, original)
        )
        assert mine is not None
        assert its is not None
        rotor = np.array(joint.axis) @ (tensor(mine) - tensor(its)) @ joint.axis
        assert rotor == pytest.approx(ARMATURE_PER_EFFORT * servo.effort, rel=1e-4)
        moments = np.linalg.eigvalsh(tensor(mine))
        assert moments[2] <= moments[0] + moments[1]  # else Gazebo refuses the link
        mine.attrib = its.attrib
    for element in made.findall("gazebo"):
        made.remove(element)
    (plate,) = (link for link in made.findall("link") if link.get("name") == "marker")
    assert len(plate.findall("visual")) == 1  # the black square is in the picture
    for root in (made, original):
        for link in root.findall("link"):
            if link.get("name") == "marker":
                root.remove(link)
    assert ElementTree.canonicalize(
        ElementTree.tostring(made), strip_text=True
    ) == ElementTree.canonicalize(ElementTree.tostring(original), strip_text=True)


def test_with_revolves_motor_no_joint_of_gazebo_turns_faster() -> None:
    made = ElementTree.fromstring(robot_urdf(load_robot("spider9"), "revolve"))
    limits = [limit.get("velocity") for limit in made.iterfind("joint/limit")]
    assert limits == ["1"] * 8


def test_a_marker_used_twice_is_refused(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "twin.urdf.xacro").write_text(
        (ROOT / "urdf/spider9.urdf.xacro")
        .read_text()
        .replace("modules/modules.urdf.xacro", "$(arg modules)/modules.urdf.xacro")
    )
    (tmp_path / "twin.yaml").write_text("marker_id: 3\n")
    with pytest.raises(ArenaError, match="marker id 3 is used twice"):
        write_gazebo(tmp_path, arena, load_robot(tmp_path / "twin.urdf.xacro"))


def test_no_library_of_a_strangers_robot_is_loaded() -> None:
    robot = load_robot("spider9")
    plugin = '<plugin filename="/tmp/stranger.so" name="stranger"/>'
    strange = f'<gazebo>{plugin}</gazebo><gazebo reference="base_link">{plugin}</gazebo>{plugin}'
    urdf = robot.urdf.replace("</robot>", f"{strange}</robot>")
    own = replace(robot, urdf=urdf)
    assert robot_urdf(own, "servo") == robot_urdf(robot, "servo")


@pytest.mark.parametrize("name", ["floor", "overhead_camera", "marker_1"])
def test_a_robot_named_like_a_part_of_the_world_is_refused(arena: Arena, name: str) -> None:
    with pytest.raises(ValueError, match=f"is that of a part of the world: .*{name}"):
        world_sdf(arena, robot=replace(load_robot("gecko7"), name=name))
