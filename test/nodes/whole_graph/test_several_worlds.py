# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea learn --physics`: each candidate under several draws of physics."""

import shutil

import pytest
import yaml
from graph import SHORT, config, cut_off, learn_here, log_of, one_line

from bea_ros.__main__ import main
from bea_ros.nodes.in_process import learning
from bea_ros.runs.folder.check import check_run
from bea_ros.runs.folder.head import read_request
from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.simulation.physics import RANGES, draw_physics
from bea_ros.system.yaml_files import sealed


def learn(folder, *more, evaluations=4):
    return learn_here(folder, evaluations, "--no-images", *SHORT, *more)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The first three candidates, under each of two draws alone: random ones, whatever is told."""
    found = []
    for physics in draw_physics(2, 1):
        folder = tmp_path_factory.mktemp("alone")
        drawn = {f"physics.{name}": getattr(physics, name) for name in RANGES}
        assert learn(folder / "run", "--config", config(folder, simulator=drawn)) == 0
        found.append(read_evaluations(folder / "run"))
    return found


@pytest.mark.parametrize(("told", "of"), [("mean", lambda a, b: (a + b) / 2), ("worst", min)])
def test_the_mean_or_the_worst_of_the_draws_is_told(told, of, alone, tmp_path):
    assert learn(tmp_path / "run", "--physics", "2", "--told", told) == 0
    told_of = [evaluations[:3] for evaluations in (read_evaluations(tmp_path / "run"), *alone)]
    for record, *single in zip(*told_of, strict=True):
        assert record["parameters"] == single[0]["parameters"] == single[1]["parameters"]
        assert record["fitness"] == pytest.approx(of(*(one["fitness"] for one in single)))
        assert record["terms"]["fitness"] == pytest.approx(record["fitness"])


def test_a_run_resumes_with_the_ranges_that_it_was_begun_with(tmp_path, capsys, monkeypatch):
    """The ranges were widened once: a resumed run must not draw from today's."""
    assert learn(tmp_path / "whole", "--physics", "2") == 0
    shutil.copytree(tmp_path / "whole", tmp_path / "resumed")
    cut_off(tmp_path / "resumed", 2)
    monkeypatch.setattr(learning, "RANGES", {**RANGES, "mass_scale": (2.0, 4.0)})
    assert main(["learn", "--output", str(tmp_path / "resumed")]) == 0
    assert log_of(tmp_path / "resumed") == log_of(tmp_path / "whole")
    assert learn(tmp_path / "new", "--physics", "2") == 0
    assert read_request(tmp_path / "new")["ranges"]["mass_scale"] == [2.0, 4.0]
    assert log_of(tmp_path / "new") != log_of(tmp_path / "whole")

    path = tmp_path / "whole" / "run.yaml"
    head = yaml.safe_load(path.read_text())
    for ranges, reason in (
        (None, "was begun by an earlier version with other ranges of physics"),
        ({"mass_scale": [1.0, [2.0]]}, "impossible ranges of physics"),
        ({"colour": [1.0, 2.0]}, "impossible ranges of physics"),
    ):
        request = {name: value for name, value in head["request"].items() if name != "ranges"}
        request |= {"ranges": ranges} if ranges else {}
        path.write_bytes(sealed({**head, "request": request}))
        capsys.readouterr()
        assert main(["learn", "--output", str(path.parent), "--evaluations", "12"]) == 2
        one_line(capsys.readouterr().err, reason)


def test_a_run_stays_with_its_draws(tmp_path, capsys):
    assert learn(tmp_path / "run", "--physics", "2") == 0
    request = read_request(tmp_path / "run")
    assert (request["physics"], request["told"]) == (2, "mean")
    before = log_of(tmp_path / "run")
    assert main(["learn", "--output", str(tmp_path / "run"), "--evaluations", "5"]) == 0
    assert log_of(tmp_path / "run")[:4] == before
    assert check_run(tmp_path / "run") == 0
    for option in (("--physics", "3"), ("--told", "worst")):
        assert learn(tmp_path / "run", *option, evaluations=12) == 2
        assert "choose another output folder" in capsys.readouterr().err
    assert learn(tmp_path / "new", "--physics", "-1") == 2
    assert "allowed is 0 to 64 draws" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_physics_of_a_parameter_file_that_are_drawn_are_refused(tmp_path, capsys):
    """They were ignored without a word."""
    ice = {"physics.friction": 0.02, "physics.gravity": 3.7}
    path = config(tmp_path, simulator=ice)
    assert learn(tmp_path / "run", "--physics", "2", "--config", path) == 2
    assert "physics.friction is drawn with --physics" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
