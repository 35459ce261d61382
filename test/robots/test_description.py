# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Robots as their xacro files describe them, against the figures of Revolve's robots."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from bea_ros.hardware.servos import servos_path
from bea_ros.localization.arena import Arena
from bea_ros.localization.markers.aruco import marker_cells
from bea_ros.robots.description import (
    Robot,
    RobotError,
    absolute_robot,
    load_robot,
    robot_name,
    robot_names,
)
from bea_ros.system.resources import resource_path

SIX_HIP_PAIRS = {
    frozenset(pair)
    for pair in (
        ("leg_00", "leg_10"), ("leg_00", "leg_20"), ("leg_00", "leg_30"),
        ("leg_10", "leg_20"), ("leg_10", "leg_30"), ("leg_20", "leg_30"),
    )
}  # fmt: skip
GECKO_PAIRS = {
    frozenset(pair)
    for pair in (
        ("leg_00", "leg_01"), ("leg_00", "body_0"), ("leg_01", "body_0"), ("body_0", "body_1"),
        ("body_1", "leg_10"), ("body_1", "leg_11"), ("leg_10", "leg_11"),
    )
}  # fmt: skip
PAIRS = {
    "spider9": SIX_HIP_PAIRS | {frozenset((f"leg_{i}0", f"leg_{i}1")) for i in range(4)},
    "gecko7": GECKO_PAIRS,
    "babyA": GECKO_PAIRS | {frozenset(("leg_011", "leg_021"))},
}
GRIDS = {
    "spider9": {
        "leg_00": (-1, 0), "leg_01": (-3, 0), "leg_10": (1, 0), "leg_11": (3, 0),
        "leg_20": (0, 1), "leg_21": (0, 3), "leg_30": (0, -1), "leg_31": (0, -3),
    },
    "gecko7": {
        "leg_00": (0, 1), "leg_01": (0, -1), "body_0": (1, 0), "body_1": (3, 0),
        "leg_10": (4, 1), "leg_11": (4, -1),
    },
    "babyA": {
        "leg_00": (0, 1), "leg_01": (0, -1), "leg_011": (0, -2), "leg_021": (0, -4),
        "body_0": (1, 0), "body_1": (3, 0), "leg_10": (4, 1), "leg_11": (4, -1),
    },
}  # fmt: skip
# Revolve's hinges of rotation 90, whose axis is vertical; the others, of rotation 0, lift.
SWINGING = {
    "spider9": {"leg_00", "leg_10", "leg_20", "leg_30"},
    "gecko7": {"body_0", "body_1"},
    "babyA": {"body_0", "body_1", "leg_011"},
}
# Rest positions in mm as Revolve's builder places the modules, in its core frame (forward -y).
REST = {
    ("spider9", "small"): {
        "leg_20_servo": (60.15, 0), "leg_20_brick": (102.28, 0), "leg_21_servo": (136.93, 0),
        "leg_21_brick": (179.05, 0), "leg_01_brick": (0, -179.05), "leg_31_servo": (-136.93, 0),
    },
    ("gecko7", "small"): {
        "leg_00_servo": (60.15, 0), "body_0_brick": (0, 102.28), "body_1_brick": (0, 179.05),
        "leg_10_servo": (34.65, 179.05), "leg_11_servo": (-34.65, 179.05),
    },
    ("babyA", "small"): {
        "leg_01_servo": (-60.15, 0), "leg_011_servo": (-98.93, 0), "leg_021_servo": (-175.70, 0),
        "leg_021_brick": (-217.83, 0), "leg_10_servo": (34.65, 179.05),
    },
    ("spider9", "large"): {"leg_20_servo": (78.00, 0), "leg_21_servo": (215.44, 0)},
    ("gecko7", "large"): {
        "body_1_brick": (0, 287.93), "leg_10_servo": (64.94, 287.93),
        "leg_11_servo": (-64.94, 287.93),
    },
    ("babyA", "large"): {
        "leg_01_servo": (-78.00, 0), "leg_011_servo": (-152.55, 0), "leg_021_servo": (-289.99, 0),
    },
}  # fmt: skip
MASSES = {  # g, without the marker plate
    ("small", "nominal"): {"spider9": 257.2, "gecko7": 215.4, "babyA": 247.0},
    ("small", "measured"): {"spider9": 517, "gecko7": 451, "babyA": 505},
    ("large", "nominal"): {"spider9": 1042, "gecko7": 844, "babyA": 1012},
}
VARIANTS = [(name, *variant) for variant in MASSES for name in GRIDS]


def pairs_by_name(robot: Robot) -> set[frozenset[str]]:
    names = [joint.name for joint in robot.joints]
    return {frozenset((names[i], names[j])) for i, j in robot.couplings}


def test_the_papers_robots_come_with_the_package() -> None:
    assert set(GRIDS) <= set(robot_names())


def test_robots_of_one_arena_are_told_apart() -> None:
    """By their markers; those of the floor are others, and no mirror makes one of another."""
    arena = Arena.load(resource_path("config/arena.yaml"))
    robots = [load_robot(name).marker.id for name in robot_names()]
    ids = [*robots, *(marker.id for marker in arena.floor_markers)]
    assert len(set(ids)) == len(ids)
    cells = {i: marker_cells(arena.dictionary, i) for i in ids}
    for one in robots:
        for other in ids:
            turned = [np.rot90(cells[one][:, ::-1], quarters) for quarters in range(4)]
            assert not any((cells[other] == mirrored).all() for mirrored in turned)


@pytest.mark.parametrize(("name", "count"), [("spider9", 18), ("gecko7", 13), ("babyA", 16)])
def test_grid_couplings_and_parameters(name: str, count: int) -> None:
    robot = load_robot(name)
    assert {joint.name: joint.grid for joint in robot.joints} == GRIDS[name]
    assert pairs_by_name(robot) == PAIRS[name]
    cells = [joint.grid for joint in robot.joints]
    assert cells == sorted(cells)
    assert len(robot.parameter_names) == len(set(robot.parameter_names)) == count
    assert robot.parameter_names[: len(cells)] == [joint.name for joint in robot.joints]


def test_parameter_order_is_joints_then_pairs_both_sorted_by_grid() -> None:
    assert load_robot("gecko7").parameter_names == [
        "leg_01", "leg_00", "body_0", "body_1", "leg_11", "leg_10",
        "leg_01-leg_00", "leg_01-body_0", "leg_00-body_0", "body_0-body_1",
        "body_1-leg_11", "body_1-leg_10", "leg_11-leg_10",
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "generation"), REST)
def test_rest_geometry(name: str, generation: str) -> None:
    rest = load_robot(name, generation).tree.poses({})
    for link, (revolve_x, revolve_y) in REST[name, generation].items():
        np.testing.assert_allclose(
            1000 * rest[link][:3, 3], (-revolve_y, revolve_x, 0), atol=0.02, err_msg=link
        )


@pytest.mark.parametrize(("name", "generation", "masses"), VARIANTS)
def test_masses(name: str, generation: str, masses: str) -> None:
    robot = load_robot(name, generation, masses)
    plate = robot.tree.masses["marker"]
    assert plate <= 0.02
    assert 1000 * (robot.mass - plate) == pytest.approx(MASSES[generation, masses][name], abs=0.05)


def test_joint_limits_of_both_generations() -> None:
    for generation, limit, effort in (("small", 0.7853982, 0.17658), ("large", 1.0, 0.9212)):
        for joint in load_robot("spider9", generation).joints:
            assert (joint.lower, joint.upper) == (-limit, limit)
            assert (joint.effort, joint.velocity) == (effort, 5.235988)


@pytest.mark.parametrize("name", SWINGING)
def test_joints_swing_about_the_vertical_or_lift(name: str) -> None:
    tree = load_robot(name).tree
    joints = [joint for joint in tree.joints if joint.kind == "revolute"]
    assert {joint.name for joint in joints} == set(GRIDS[name])
    for joint in joints:
        axis = tree.poses({})[joint.child][:3, 1]  # servos turn about their y
        swings = joint.name in SWINGING[name]
        assert abs(axis[2]) == pytest.approx(1.0 if swings else 0.0, abs=1e-9), joint.name


def test_bricks_stand_upright_at_rest() -> None:
    for name in GRIDS:
        for link, pose in load_robot(name).tree.poses({}).items():
            if link.endswith("brick"):
                np.testing.assert_allclose(pose[:3, 2], (0, 0, 1), atol=1e-9)


def test_marker_lies_level_on_the_core_and_looks_forward() -> None:
    for generation in ("small", "large"):
        robot = load_robot("spider9", generation)
        np.testing.assert_allclose(robot.marker.pose[:3, :3], np.eye(3), atol=1e-12)
        assert robot.marker.pose[2, 3] > max(box.size[2] for box in robot.modules) / 2
        assert robot.marker.size == pytest.approx(0.10)
        plate = next(box for box in robot.modules if box.link == "marker")
        assert plate.size[0] >= robot.marker.size * 1.2, "no white border for the detector"


def test_a_second_robot_of_a_kind_has_a_marker_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = load_robot("spider9"), load_robot("spider9:8")
    assert (first.marker.id, second.marker.id) == (0, 8)
    assert (second.name, second.urdf) == (first.name, first.urdf)
    assert servos_path("spider9:8") == servos_path("spider9")
    assert absolute_robot("spider9:8") == "spider9:8"
    file = tmp_path / "walker.urdf.xacro"
    shutil.copy(resource_path("urdf/gecko7.urdf.xacro"), file)
    shutil.copytree(resource_path("urdf/modules"), tmp_path / "modules")
    file.with_name("walker.yaml").write_text("marker_id: 11\n")
    assert [load_robot(name).marker.id for name in (file, f"{file}:12")] == [11, 12]
    assert robot_name(f"{file}:12") == "walker"
    monkeypatch.chdir(tmp_path)
    assert absolute_robot(f"{file.name}:12") == f"{file}:12"
    for nonsense in ("spider9:", "spider9:x", "spider9:-1", "spider9:8:8", ":8", "spider9:99999"):
        with pytest.raises(RobotError, match="unknown robot"):
            load_robot(nonsense)


@pytest.mark.parametrize(("name", "generation", "masses"), VARIANTS)
def test_check_urdf_accepts(
    name: str, generation: str, masses: str, tmp_path: Path, check_urdf: str
) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(load_robot(name, generation, masses).urdf)
    result = subprocess.run([check_urdf, str(file)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "root Link: base_link" in result.stdout


@pytest.mark.parametrize("name", GRIDS)
def test_inertias_are_those_of_real_bodies(name: str) -> None:
    for element in ElementTree.fromstring(load_robot(name).urdf).iter("inertia"):
        moments = sorted(float(element.get(key, "nan")) for key in ("ixx", "iyy", "izz"))
        assert moments[0] > 0
        assert moments[2] < moments[0] + moments[1]


# Revolve's further robots (res/genomes/*.yaml), each a tree of the same modules.
