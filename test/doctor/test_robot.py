# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea doctor --robot: says what is wrong with a robot of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from bea_ros.__main__ import main
from bea_ros.robots import robot_names

HEAD = '<robot name="walker" xmlns:xacro="http://www.ros.org/wiki/xacro">'
WALKER = f"""{HEAD}
  <xacro:include filename="$(arg modules)/modules.urdf.xacro"/>
  <xacro:core/>
  <xacro:swinging_segment name="left" parent="base_link" slot="left"/>
  <xacro:lifting_segment name="left_knee" parent="left_brick"/>
  <xacro:swinging_segment name="right" parent="base_link" slot="right"/>
  <xacro:lifting_segment name="right_knee" parent="right_brick"/>
  <xacro:lifting_segment name="tail" parent="base_link" slot="rear"/>
</robot>
"""
TAIL = '<xacro:lifting_segment name="tail" parent="base_link" slot="rear"/>'
BLOCK = '<xacro:brick name="extra" parent="base_link" slot="rear"/>'
TIP = '<xacro:brick name="tip" parent="tail_brick"/>'
BALLAST = """
  <link name="ballast">
    <inertial><mass value="{mass}"/>
      <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="ballast"><geometry><box size="0.02 0.02 0.02"/></geometry></collision>
  </link>
  <joint name="ballast_mount" type="fixed">
    <parent link="{parent}"/><child link="ballast"/><origin xyz="{xyz}" rpy="0 0 0"/>
  </joint>
"""


def ballast(mass: float, parent: str = "base_link", xyz: str = "0 0 0.1") -> str:
    return BALLAST.format(mass=mass, parent=parent, xyz=xyz)


def robot(folder: Path, xacro: str = WALKER, numbers: str | None = "marker_id: 7\n") -> Path:
    path = folder / "walker.urdf.xacro"
    path.write_text(xacro)
    if numbers is not None:
        (folder / "walker.yaml").write_text(numbers)
    return path


def said_of(path: Path, capsys: pytest.CaptureFixture, code: int, *more: str) -> str:
    assert main(["doctor", "--robot", str(path), *more]) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    return " ".join(captured.out.split())


def test_a_good_robot_is_described(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    said = said_of(robot(tmp_path), capsys, 0)
    assert "walker: 5 joints + 5 couplings = 10 CPG parameters" in said
    assert "marker 7 of 100 mm" in said
    for joint in ("left_knee", "right_knee", "tail"):
        assert joint in said
    assert "all is well" in said
    assert "unwise" not in said


def test_a_marker_like_its_own_mirror_image_is_advised_against(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    said = said_of(robot(tmp_path, numbers="marker_id: 8\n"), capsys, 0)
    assert "unwise marker 8: its mirror image" in said


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (TAIL, TAIL.replace("rear", "back"), "tail_frame: slot back is not one of front"),
        (TAIL, TAIL.replace("base_link", "bace_link"), "'bace_link'; the links are base_link"),
        (TAIL, TAIL.replace("base_link", "left"), "tail_frame: parent left is not base_link,"),
        (TAIL, TAIL + '<link name="loose"/>', "link 'loose' needs an inertial"),
        ("<xacro:core/>", "<xacro:cores/>", "xacro:cores"),
        ("</robot>", "", "no element found"),
        (TAIL, TAIL + '<joint name="j" type="ball"/>', "joint 'j' is 'ball'"),
        (
            TAIL,
            ballast(0.01).replace('name="ballast_mount" type="fixed"', 'name="b" type="revolute"'),
            "joint 'b' needs a limit with lower",
        ),
        (TAIL, TAIL + ballast(0.01).split("<joint")[0], "the links are not one tree"),
        (TAIL, ballast(0.01).replace('"0.01"', '"heavy"'), "mass"),
        (TAIL, ballast(0.01).replace('"1e-3"', '"-1"'), "MuJoCo cannot load walker"),
        (TAIL, TAIL + BLOCK, "tail_servo and extra_brick overlap"),
        (TAIL, TAIL + TIP + ballast(0.01, "tail_brick", "0.04 0 0"), "and ballast overlap"),
        (TAIL, TAIL + TAIL.replace("tail", "tail2"), "share the grid cell"),
        (TAIL, ballast(1e30), "its simulation is unstable"),
        (TAIL, TAIL + ballast(6.0), "too heavy for its servos"),
        (TAIL, TAIL + ballast(1.0, xyz="0.3 0 0.3"), "falls over"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(
    old: str, new: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert words in said_of(robot(tmp_path, WALKER.replace(old, new)), capsys, 1)


@pytest.mark.parametrize("name", robot_names())
def test_the_robots_that_come_with_the_package_are_well(
    name: str, capsys: pytest.CaptureFixture
) -> None:
    assert main(["doctor", "--robot", name]) == 0, capsys.readouterr().out


def test_a_robot_without_couplings_learns(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    hinge = '<xacro:lifting_segment name="left" parent="base_link" slot="left"/>'
    xacro = WALKER[: WALKER.index("  <xacro:swinging")] + hinge + "</robot>"
    assert "its CPG has no couplings" in said_of(robot(tmp_path, xacro), capsys, 0)
    words = ["learn", "--in-process", "--no-images", "--duration", "1", "--evaluations", "10"]
    words += ["--robot", str(tmp_path / "walker.urdf.xacro"), "--output", str(tmp_path / "run")]
    assert main(words) == 0


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (None, "walker.yaml does not exist"),
        ("marker_id: two\n", "marker_id must be a whole number from 0, not 'two'"),
        ("marker: 2\n", "must hold marker_id and nothing else"),
        ("marker_id: [", "not YAML"),
        ("marker_id: 3\n", "marker id 3 is used twice: choose another marker_id"),
        ("marker_id: 50\n", "marker id 50 is not in DICT_4X4_50"),
    ],
)
def test_what_is_wrong_with_its_numbers_is_said(
    numbers: str | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert words in said_of(robot(tmp_path, numbers=numbers), capsys, 1)


def test_an_arena_without_a_robot_is_not_passed_over(capsys: pytest.CaptureFixture) -> None:
    assert main(["doctor", "--arena", "lab.yaml"]) == 2
    assert "--robot FILE" in capsys.readouterr().err


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert "does not exist" in said_of(tmp_path / "walker.urdf.xacro", capsys, 1)
    assert "unknown robot" in said_of(tmp_path / "walker.urdf", capsys, 1)
