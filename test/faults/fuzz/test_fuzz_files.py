# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever stands in a file: it is taken for what it is, or refused in one line, never a crash."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import yaml
from fuzzing import NASTY, almost, count, fuzz, fuzz_slowly, refused_or_good, texts, values
from hypothesis import given
from hypothesis import strategies as st

from bea_ros.bringup.node_spec import BringupError, NodeSpec
from bea_ros.bringup.parameter_file import configured
from bea_ros.doctor.robot import check_robot
from bea_ros.hardware.servos import PULSES, ServosError, load_servos
from bea_ros.hardware.trim import with_trim
from bea_ros.localization.arena import Arena, ArenaError
from bea_ros.localization.camera_info import CameraInfoError, read_camera_info, write_camera_info
from bea_ros.robots import RobotError, load_robot
from bea_ros.system.resources import resource_path
from bea_ros.system.yaml_files import YamlFileError, parse_yaml

ARENA = {
    "width": 4.0, "depth": 3.0, "robot_marker": {"id": 0, "size": 0.1},
    "floor_markers": [{"id": i, "size": 0.2, "x": 1.0, "y": 0.5 * i} for i in (1, 2, 3)],
}  # fmt: skip
MARKERS = values.map(
    lambda value: [*ARENA["floor_markers"][1:], {"id": value, "size": value, "x": 0, "y": 0}]
)
arenas = st.fixed_dictionaries(
    {key: st.just(value) | values for key, value in ARENA.items()},
    optional={"dictionary": st.just("DICT_4X4_50") | values, "x": values},
) | MARKERS.map(lambda markers: {**ARENA, "floor_markers": markers})


@fuzz
@given(text=texts(arenas))
def test_arenas(folder: Path, text: bytes) -> None:
    (folder / "arena.yaml").write_bytes(text)
    arena = refused_or_good("arenas", ArenaError, lambda: Arena.load(folder / "arena.yaml"))
    if arena:
        assert 0 < arena.width <= 100
        assert all(math.isfinite(marker.x + marker.y) for marker in arena.floor_markers)


configs = st.fixed_dictionaries({"learner": st.fixed_dictionaries({"ros__parameters": values})})


@fuzz
@given(text=texts(configs | values))
def test_parameter_files(folder: Path, text: bytes) -> None:
    path = folder / "config.yaml"
    path.write_bytes(text)
    nodes = [NodeSpec("learner"), NodeSpec("simulator")]
    found = refused_or_good(
        "parameter files", BringupError, lambda: configured(nodes, str(path), ())
    )
    for node in found or []:
        for value in node.parameters.values():
            parts = value if isinstance(value, list) else [value]
            assert parts
            assert all(type(part) in (bool, int, float, str) for part in parts)


@fuzz
@given(text=texts(st.fixed_dictionaries({"marker_id": values | st.just(3)})))
def test_numbers_of_robots(folder: Path, text: bytes) -> None:
    xacro = folder / "walker.urdf.xacro"
    xacro.write_text(
        '<robot name="walker" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(arg modules)/modules.urdf.xacro"/><xacro:core/>'
        '<xacro:lifting_segment name="tail" parent="base_link" slot="rear"/></robot>'
    )
    (folder / "walker.yaml").write_bytes(text)
    robot = refused_or_good("robots' YAML", RobotError, lambda: load_robot(xacro))
    assert robot is None or robot.marker.id >= 0


XACRO = (
    '<robot name="w" xmlns:xacro="http://www.ros.org/wiki/xacro"> '
    '<xacro:include filename="$(arg modules)/modules.urdf.xacro"/> <xacro:core/> '
    '<xacro:lifting_segment name="tail" parent="base_link" slot="rear"/> '
    '<link name="l"> <inertial> <mass value="1"/> </inertial> </link> '
    '<joint name="j" type="revolute"> <parent link="base_link"/> <child link="l"/> '
    '<limit lower="-1" upper="1" effort="1" velocity="1"/> </joint> </robot>'
)


@fuzz
@given(data=st.data())
def test_descriptions_of_robots(folder: Path, data: st.DataObject) -> None:
    """A good xacro with pieces taken out, doubled and put elsewhere."""
    words = XACRO.split(" ")
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(words) - 1))
        new = data.draw(st.sampled_from(["", 'value="nan"', "${1/0}", "${x}", "<", words[at]]))
        words[at] = new
    (folder / "w.urdf.xacro").write_text(" ".join(words))
    (folder / "w.yaml").write_text("marker_id: 3\n")
    path = folder / "w.urdf.xacro"
    refused_or_good("robots' xacro", RobotError, lambda: load_robot(path))


ROBOT = load_robot("spider9")
SERVOS = yaml.safe_load(resource_path("config/servos/spider9.yaml").read_text())
BOARD = {**SERVOS, "driver": "pca9685", "bus": 1, "address": 0x40, "servos": {
    joint: {"channel": entry["pin"] % 16, "limits": [-0.5, 0.5], "max_rate": 5.0}
    for joint, entry in SERVOS["servos"].items()
}}  # fmt: skip


@fuzz
@given(text=texts(almost(SERVOS) | almost(BOARD)), trim=st.floats(-0.3, 0.3))
def test_servos(folder: Path, text: bytes, trim: float) -> None:
    """What is taken for a robot's servos never gives a pulse that a servo does not take."""
    path = folder / "servos.yaml"
    path.write_bytes(text)
    servos = refused_or_good("servos", ServosError, lambda: load_servos(path, ROBOT))
    if servos is None:
        return
    assert len({servo.output for servo in servos.servos}) == len(ROBOT.joints)
    for joint, servo in zip(ROBOT.joints, servos.servos, strict=True):
        assert servo.name == joint.name
        assert joint.lower <= servo.lower <= servo.neutral <= servo.upper <= joint.upper
        assert 0 < servo.velocity <= joint.velocity
        for angle in (-9.0, servo.lower, servo.neutral, servo.upper, 9.0):
            assert PULSES[0] <= servo.pulse_of(angle) <= PULSES[1]
    name = servos.servos[0].name
    changed = refused_or_good("trims", ServosError, lambda: with_trim(text.decode(), name, trim))
    if changed is None:
        return
    path.write_text(changed)
    again = refused_or_good("trimmed servos", ServosError, lambda: load_servos(path, ROBOT))
    if again:
        assert again.find(name).trim == round(trim, 4)
        assert again.servos[1:] == servos.servos[1:]


CAMERA = {
    "image_width": 640, "image_height": 480, "camera_name": "overhead",
    "camera_matrix": {"rows": 3, "cols": 3, "data": [500.0, 0, 320, 0, 500.0, 240, 0, 0, 1]},
    "distortion_model": "plumb_bob",
    "distortion_coefficients": {"rows": 1, "cols": 5, "data": [0.1, -0.2, 0.0, 0.0, 0.0]},
}  # fmt: skip


@fuzz
@given(text=texts(almost(CAMERA)))
def test_camera_calibrations(folder: Path, text: bytes) -> None:
    path = folder / "camera.yaml"
    path.write_bytes(text)
    camera = refused_or_good("camera_info YAML", CameraInfoError, lambda: read_camera_info(path))
    if camera is None:
        return
    assert type(camera.width) is type(camera.height) is int
    assert np.isfinite(camera.matrix).all()
    assert np.isfinite(camera.distortion).all()
    write_camera_info(path, "overhead", camera)
    again = read_camera_info(path)
    assert (again.width, again.height) == (camera.width, camera.height)
    assert (again.matrix == camera.matrix).all()
    assert (again.distortion == camera.distortion).all()


ODD = ["nan", "inf", "-1", "0", "1e-300", "1e300", "", "x", "${1/0}", "1 2"]


@fuzz_slowly
@given(data=st.data())
def test_doctor_of_robots(
    folder: Path, capsys: pytest.CaptureFixture, data: st.DataObject
) -> None:
    """bea doctor --robot says what is wrong with a robot that has a wrong number somewhere."""
    words = XACRO.replace('value="1"', 'value="0.02"').split('"')
    numbers = [i for i in range(1, len(words), 2) if words[i][-1:].isdigit()]
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.sampled_from(numbers))
        words[at] = data.draw(st.sampled_from(ODD) | st.floats().map(str))
    (folder / "d.urdf.xacro").write_text('"'.join(words))
    (folder / "d.yaml").write_text(f"marker_id: {data.draw(st.integers(-1, 60))}\n")
    count("robots to doctor")
    code = check_robot(str(folder / "d.urdf.xacro"), "")
    said = capsys.readouterr().out
    assert code == (1 if "wrong" in said else 0)
    assert said.strip()


@pytest.mark.parametrize("text", NASTY, ids=lambda text: str(text[:12]))
def test_nasty_yaml_is_refused_or_plain_data(text: bytes) -> None:
    refused_or_good("nasty YAML", YamlFileError, lambda: parse_yaml(text, "file"))


def test_yaml_of_more_values_than_anybody_needs_is_refused() -> None:
    """A megabyte of empty lists took 20 s."""
    with pytest.raises(YamlFileError, match="more than 30000 values"):
        parse_yaml(b"[" + b"[]," * 340_000 + b"]", "file")
    assert len(parse_yaml(b"[" + b"a," * 29_000 + b"]", "file")) == 29_000
