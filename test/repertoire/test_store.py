# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The file of a repertoire."""

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bea_ros.__main__ import main
from bea_ros.repertoire import Repertoire, RepertoireError, load, path_of
from bea_ros.repertoire.store import FILE, fingerprint
from bea_ros.robots import load_robot
from bea_ros.simulation.physics import draw_physics
from bea_ros.system.resources import resource_path

SHIPPED = sorted(path.stem for path in resource_path("config/repertoires").glob("*.npz"))


@pytest.fixture(scope="module")
def repertoire():
    robot, rng = load_robot("gecko7"), np.random.default_rng(1)
    d = len(robot.parameter_names)
    paths = np.cumsum(rng.normal(0, 0.1, (5, 2, 41, 3)), axis=2)
    paths[:, :, 0] = 0.0
    paths[3, 1, 7:] = np.nan
    names = tuple(robot.parameter_names)
    return Repertoire("gecko7", fingerprint(robot), "small", 1.5, names, rng.random((5, d)), paths,
                      tuple(draw_physics(2, 1)), {"seed": "1"})  # fmt: skip


def test_what_is_stored_is_read_again(repertoire, tmp_path):
    repertoire.save(tmp_path / FILE)
    found = load(tmp_path / FILE)
    assert np.abs(found.candidates - repertoire.candidates).max() < 1e-5
    assert np.array_equal(np.isnan(found.paths), np.isnan(repertoire.paths))
    assert np.nanmax(np.abs(found.paths - repertoire.paths)) < 1e-3
    for name in ("robot", "fingerprint", "names", "physics", "made", "weight_range"):
        assert getattr(found, name) == getattr(repertoire, name)
    found.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / FILE).read_bytes()


def test_masses_make_no_other_robot_but_modules_do():
    print_of = {
        (name, generation, masses): fingerprint(load_robot(name, generation, masses))
        for name, generation, masses in (
            ("gecko7", "small", "nominal"),
            ("gecko7", "small", "measured"),
            ("gecko7", "large", "nominal"),
            ("babyA", "small", "nominal"),
        )
    }
    assert len(set(print_of.values())) == 3
    small, measured = list(print_of.values())[:2]
    assert small == measured


def test_hinges_about_another_axis_make_another_robot():
    gecko = load_robot("gecko7")
    turned = [
        replace(j, axis=(0.0, 0.0, 1.0)) if j.kind == "revolute" else j for j in gecko.tree.joints
    ]
    other = replace(gecko, tree=replace(gecko.tree, joints=turned))
    assert fingerprint(other) != fingerprint(gecko)


def test_a_repertoire_that_does_not_fit_is_refused_in_a_line(repertoire):
    gecko = load_robot("gecko7")
    repertoire.check(gecko, "small", 1.5)
    with pytest.raises(RepertoireError, match="generation small, not large"):
        repertoire.check(load_robot("gecko7", "large"), "large", 1.5)
    with pytest.raises(RepertoireError, match=r"weight range 1.5, not 1.0"):
        repertoire.check(gecko, "small", 1.0)
    with pytest.raises(RepertoireError, match="another robot, gecko7, than this babyA"):
        repertoire.check(load_robot("babyA"), "small", 1.5)


def test_files_that_are_none_are_refused_in_a_line(repertoire, tmp_path):
    with pytest.raises(RepertoireError, match="bea explore makes one"):
        load(path_of(str(tmp_path), "gecko7", "small"))
    repertoire.save(tmp_path / FILE)
    whole = (tmp_path / FILE).read_bytes()
    rng = np.random.default_rng(2)
    for damage in (b"", b"no archive", whole[:-30], whole[: len(whole) // 2]):
        (tmp_path / FILE).write_bytes(damage)
        with pytest.raises(RepertoireError) as refused:
            load(tmp_path / FILE)
        assert "\n" not in str(refused.value)
    for _ in range(30):  # bytes turned
        broken = bytearray(whole)
        broken[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        (tmp_path / FILE).write_bytes(broken)
        with contextlib.suppress(RepertoireError):
            load(tmp_path / FILE)


def test_no_repertoire_comes_for_a_robot_of_ones_own():
    with pytest.raises(RepertoireError, match="bea explore --robot walker"):
        path_of("default", "walker", "small")
    with pytest.raises(RepertoireError, match="--generation large"):
        path_of("default", "spider9", "large")


def test_who_has_no_repertoire_is_told_what_to_type(own_robot, tmp_path, capsys):
    beside = Path(own_robot).with_name("my ant.urdf.xacro")
    text = Path(own_robot).read_text().replace('name="gecko7"', 'name="ant"')
    beside.write_text(text)
    beside.with_name("my ant.yaml").write_text("marker_id: 10")
    words = ["learn", "--in-process", "--robot", str(beside), "--prior", "default"]
    assert main([*words, "--output", str(tmp_path / "run")]) == 2
    said = capsys.readouterr().err
    assert f"bea explore --robot '{beside}' --generation small" in said
    assert "--prior 'repertoires/my ant'" in said


@pytest.mark.parametrize("robot", SHIPPED)
def test_the_repertoires_that_come_with_the_package_fit_their_robots(robot):
    path = path_of("default", robot, "small")
    assert path.stat().st_size <= 2 * 2**20
    found = load(path)
    found.check(load_robot(robot), "small", 1.5)
    assert found.made["command"].startswith(f"bea explore --robot {robot} ")
    assert len(found) > 50
    assert np.isfinite(found.paths).mean() > 0.9
