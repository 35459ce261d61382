# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Robots of one's own, from one file each; what is wrong with them is said in a line."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bea_ros.robots import description
from bea_ros.robots.description import (
    RobotError,
    load_robot,
    robot_names,
)
from bea_ros.robots.footprint import FOOTPRINT, with_footprint
from bea_ros.simulation.world import World

LEGS = """
  <xacro:macro name="spider_leg" params="name slot segments">
    <xacro:swinging_segment name="${name}0" parent="base_link" slot="${slot}"/>
    <xacro:if value="${segments > 1}"><xacro:lifting_segment name="${name}1" parent="${name}0_brick"/></xacro:if>
    <xacro:if value="${segments > 2}"><xacro:swinging_segment name="${name}2" parent="${name}1_brick"/></xacro:if>
    <xacro:if value="${segments > 3}"><xacro:lifting_segment name="${name}3" parent="${name}2_brick"/></xacro:if>
  </xacro:macro>
  <xacro:macro name="gecko_leg" params="name parent slot segments">
    <xacro:lifting_segment name="${name}" parent="${parent}" slot="${slot}"/>
    <xacro:swinging_segment name="${name}1" parent="${name}_brick"/>
    <xacro:if value="${segments > 2}"><xacro:lifting_segment name="${name}2" parent="${name}1_brick"/></xacro:if>
  </xacro:macro>
"""  # noqa: E501


def spider(*segments: int) -> str:
    slots = zip(("front", "rear", "left", "right"), segments, strict=True)
    return "".join(
        f'<xacro:spider_leg name="leg_{i}" slot="{slot}" segments="{count}"/>'
        for i, (slot, count) in enumerate(slots)
    )


def gecko(spine: int, segments: int, last_leg: str = "") -> str:
    parts = ['<xacro:swinging_segment name="body_0" parent="base_link" slot="rear"/>']
    for i in range(1, spine):
        macro = ("swinging", "lifting")[i % 2]
        parts.append(f'<xacro:{macro}_segment name="body_{i}" parent="body_{i - 1}_brick"/>')
    pelvis = f"body_{spine - 1}_brick"
    legs = [("leg_00", "base_link", "left"), ("leg_01", "base_link", "right")]
    legs += [("leg_10", pelvis, "right"), ("leg_11", pelvis, "left")]
    for name, parent, slot in legs[: 3 if last_leg else 4]:
        leg = f'name="{name}" parent="{parent}" slot="{slot}" segments="{segments}"'
        parts.append(f"<xacro:gecko_leg {leg}/>")
    return "".join(parts) + last_leg


BABY_C_LEG = """
  <xacro:lifting_segment name="leg_11" parent="body_3_brick" slot="left"/>
  <xacro:active_hinge name="leg_111" parent="leg_11_brick" rotation="90"/>
  <xacro:active_hinge name="leg_112" parent="leg_111_servo" rotation="-90"/>
  <xacro:brick name="leg_112" parent="leg_112_servo"/>
"""
FURTHER_ROBOTS = {
    "spider13": (spider(3, 3, 3, 3), 26),
    "spider17": (spider(4, 4, 4, 4), 34),
    "babyB": (spider(3, 1, 3, 3), 22),
    "gecko12": (gecko(3, 2), 23),
    "gecko17": (gecko(4, 3), 33),
    "babyC": (gecko(4, 3, BABY_C_LEG), 32),
}


def write_robot(
    directory: Path, body: str, numbers: str = "marker_id: 3", name: str = "own"
) -> Path:
    file = directory / f"{name}.urdf.xacro"
    file.write_text(
        f'<robot name="{name}" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(arg modules)/modules.urdf.xacro"/>'
        f"{LEGS}{body}</robot>"
    )
    (directory / f"{name}.yaml").write_text(numbers)
    return file


@pytest.mark.parametrize("name", FURTHER_ROBOTS)
def test_parameter_counts_of_revolves_further_robots(name: str, tmp_path: Path) -> None:
    body, count = FURTHER_ROBOTS[name]
    robot = load_robot(write_robot(tmp_path, "<xacro:core/>" + body, name=name))
    assert robot.name == name
    assert robot.marker.id == 3
    assert len(robot.parameter_names) == count


ONE_LEG = '<xacro:core/><xacro:spider_leg name="leg_" slot="front" segments="2"/>'
BOX, MESH = '<box size="1 1 1"/>', '<mesh filename="http://x/y.dae"/>'
SEEN = (
    '<link name="seen"><inertial><mass value="1"/></inertial>'
    "<visual><geometry>{}</geometry></visual></link>"
)
NAMED = '<joint name="{}" type="fixed"><parent link="base_link"/><child link="base_link"/></joint>'
BARE = '<link name="base_link"><inertial><mass value="1"/></inertial></link>'
HINGE = '<xacro:active_hinge name="b" parent="base_link" slot="{}"/>'
AMBIGUOUS = "<xacro:core/>" + "".join(
    f'<xacro:lifting_segment name="{name}" parent="base_link" slot="{slot}"/>'
    for name, slot in (("a", "right"), ("b", "left"), ("a-b", "rear"))
)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<xacro:core/>", "no revolute joint"),
        ('<link name="base_link"/>', "link 'base_link' needs an inertial"),
        (ONE_LEG + ONE_LEG.replace("<xacro:core/>", ""), "2 joints are named 'leg_0_"),
        (ONE_LEG + HINGE.format("front"), "share the grid"),
        (AMBIGUOUS, "two CPG parameters are named 'a-b'"),
        (ONE_LEG + HINGE.format("top"), "xacro: .*top"),
        (ONE_LEG + "<xacro:tail/>", "xacro: .*unknown macro"),
        (ONE_LEG + '<joint name="j" type="prismatic"/>', "joint 'j' is 'prismatic'"),
        (ONE_LEG + '<joint name="j" type="fixed"><parent link="x"/></joint>', "no parent link"),
        (ONE_LEG + HINGE.format("left") + NAMED.format("b"), "2 joints are named 'b'"),
        (ONE_LEG + NAMED.format(""), "a joint has no name"),
        (ONE_LEG + NAMED.format("a,b"), "joint 'a,b': a name has no ',' or '='"),
        (ONE_LEG + NAMED.format("a&#10;b"), "a name has a line's end"),
        (ONE_LEG + NAMED.format("\x9b2J"), "a name has a line's end, or what else cannot"),
        (BARE.replace("</i", '<inertia ixx="nan"/></i'), "<inertia> needs a number in ixx"),
        (ONE_LEG + NAMED.format("c").replace("</j", '<dynamics damping="inf"/></j'), "in damping"),
        (ONE_LEG + NAMED.format("b "), "joint 'b ': a name has no"),
        (ONE_LEG + '<joint name="j" type="revolute"><mimic joint="b"/></joint>', "'j' mimics"),
        (ONE_LEG + '<mujoco><compiler inertiafromgeom="true"/></mujoco>', "<mujoco> would change"),
        (BARE, "no link has a collision box"),
        ("<xacro:core>", "xacro: .*mismatched tag"),
        (ONE_LEG + SEEN.format('<box size="1 0 1"/>'), "link 'seen' has a visual box of a size"),
        *(
            (ONE_LEG + SEEN.format(shapes), "link 'seen' has a visual that is not a box")
            for shapes in (MESH + BOX, f"{BOX}</geometry><geometry>{MESH}", MESH)
        ),
        (ONE_LEG + '<material name="m"><texture filename="x.png"/></material>', "texture"),
    ],
)  # fmt: skip
def test_a_broken_robot_is_refused_in_one_line(body: str, message: str, tmp_path: Path) -> None:
    file = write_robot(tmp_path, body)
    with pytest.raises(RobotError, match=message) as caught:
        load_robot(file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("numbers", ["marker: 1", "marker_id: -1", "marker_id: one", "[", ""])
def test_broken_numbers_are_refused(numbers: str, tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"own\.yaml") as caught:
        load_robot(write_robot(tmp_path, ONE_LEG, numbers))
    assert "\n" not in str(caught.value)


def test_an_unknown_robot_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        RobotError, match=r"unknown robot 'spider8'; known: babyA, gecko7, spider9"
    ):
        load_robot("spider8")
    with pytest.raises(RobotError, match="does not exist"):
        load_robot("nowhere/own.urdf.xacro")
    with pytest.raises(RobotError, match="small, large"):
        load_robot("spider9", generation="tiny")
    with pytest.raises(RobotError, match="not known for large"):
        load_robot("spider9", generation="large", masses="measured")


def test_robots_are_loaded_by_several_threads_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by the threads of a Dask worker; xacro keeps the files it is in as globals."""
    monkeypatch.setattr(description, "_expand_own", description._expand_own.__wrapped__)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: load_robot("gecko7").urdf, range(40)))
    assert set(found) == {load_robot("gecko7").urdf}


@pytest.mark.parametrize("name", robot_names())
def test_the_footprint_is_a_root_without_mass_on_the_floor(name: str) -> None:
    robot = load_robot(name)
    root = ElementTree.fromstring(with_footprint(robot))
    (link,) = (link for link in root.iter("link") if link.get("name") == FOOTPRINT)
    assert len(link) == 0
    children = {joint.find("child").get("link") for joint in root.iter("joint")}
    links = {link.get("name") for link in root.iter("link")}
    assert links - children == {FOOTPRINT}
    (joint,) = (j for j in root.iter("joint") if j.find("parent").get("link") == FOOTPRINT)
    assert joint.find("child").get("link") == "base_link"
    height = float(joint.find("origin").get("xyz").split()[2])
    assert height == pytest.approx(robot.standing_height)


@pytest.mark.parametrize("generation", ["small", "large"])
def test_a_robot_stands_as_high_as_it_rests_with_its_joints_in_the_middle(
    tmp_path: Path, generation: str
) -> None:
    """Knees that bend down only lift it: it was said to stand as with all joints at 0."""
    root = ElementTree.fromstring(load_robot("spider9", generation).urdf)
    for joint in root.iterfind("joint[@type='revolute']"):
        if joint.get("name").endswith("1"):
            joint.find("limit").set("lower", "0.4")
            joint.find("limit").set("upper", "1.4")
    (tmp_path / "walker.urdf.xacro").write_text(ElementTree.tostring(root, encoding="unicode"))
    (tmp_path / "walker.yaml").write_text("marker_id: 7\n")
    robot = load_robot(tmp_path / "walker.urdf.xacro")
    resting = World(robot).base_pose()[2, 3]
    assert robot.standing_height == pytest.approx(resting, abs=0.005)
    assert robot.standing_height > load_robot("spider9", generation).standing_height + 0.03
