# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a repertoire says of a task."""

import math

import numpy as np
import pytest

from bea_ros.__main__ import main
from bea_ros.repertoire import Repertoire
from bea_ros.repertoire.plan import SAMPLING
from bea_ros.repertoire.ranking import expected, fitness_of, ranked, trajectory_of_path
from bea_ros.repertoire.store import FILE, fingerprint
from bea_ros.robots import load_robot
from bea_ros.simulation.physics import draw_physics
from bea_ros.tasks import find_task

POSES = 21  # 30 s


def straight(speed, heading, turn=0.0, draws=2):
    """Paths at a speed (m/s) in a direction (rad), turning at `turn` rad/s; slower by draw."""
    t = SAMPLING * np.arange(POSES)
    path = np.column_stack(
        [speed * t * math.cos(heading), speed * t * math.sin(heading), turn * t]
    )
    return np.array([path / (1 + number) for number in range(draws)])


@pytest.fixture(scope="module")
def repertoire():
    robot = load_robot("gecko7")
    paths = np.array([
        straight(0.02, 0.0), straight(0.05, math.pi / 2), straight(0.04, 0.1),
        straight(0.0, 0.0, turn=0.2), straight(0.08, 0.0),
    ])  # fmt: skip
    paths[4, 1, 10:] = np.nan  # falls over after 13.5 s under one of the draws
    d = len(robot.parameter_names)
    names = tuple(robot.parameter_names)
    candidates = np.random.default_rng(0).random((5, d))
    return Repertoire("gecko7", fingerprint(robot), "small", 1.5, names, candidates, paths,
                      tuple(draw_physics(2, 1)))  # fmt: skip


def test_any_task_is_evaluated_over_the_paths(repertoire):
    gait = fitness_of(repertoire, find_task("gait"))
    assert gait[:3, 0] == pytest.approx([0.02, 0.05, 0.04])
    assert gait[:3, 1] == pytest.approx([0.01, 0.025, 0.02])
    assert np.isnan(gait[4, 1])
    assert gait[4, 0] == pytest.approx(0.08)
    short = fitness_of(repertoire, find_task("gait"), 12.0)
    assert short[4, 1] == pytest.approx(0.04)  # not fallen by then
    rotating = fitness_of(repertoire, find_task("rotating"))
    assert rotating[3] == pytest.approx([3.0, 1.5])
    left = find_task("directed_locomotion:direction=1.5708")
    assert ranked(fitness_of(repertoire, left))[0] == 1
    # Longer than the paths: as if the robot had gone on.
    assert fitness_of(repertoire, left)[1, 0] == pytest.approx(0.05 * 60, rel=1e-3)


def test_what_falls_counts_as_the_worst(repertoire):
    values = expected(np.array([[1.0, 2.0], [4.0, np.nan], [-1.0, 0.5]]))
    assert values.tolist() == [1.5, 1.5, -0.25]
    assert ranked(fitness_of(repertoire, find_task("gait")))[0] == 4


def test_a_path_ends_when_the_evaluation_does(repertoire):
    path = trajectory_of_path(repertoire.paths[0, 0], 10.0)
    assert path.t[-1] == 10.0
    assert path.x[-1] == pytest.approx(0.2)
    assert trajectory_of_path(repertoire.paths[4, 1], 14.0) is None
    assert trajectory_of_path(repertoire.paths[4, 1], 13.4) is not None


def test_the_command_lists_and_draws_the_best(repertoire, tmp_path, capsys):
    repertoire.save(tmp_path / FILE)
    page = tmp_path / "best.html"
    arguments = ["repertoire", str(tmp_path), "--task", "gait:form=path", "--output", str(page)]
    assert main([*arguments, "--best", "2"]) == 0
    rows = [line.split("│")[1:] for line in capsys.readouterr().out.splitlines() if "│" in line]
    assert [row[0].strip() for row in rows] == ["4", "1"]
    assert page.read_text().count("<svg") == 2
    assert main([*arguments, "--best", "0"]) == 2
    assert main(["repertoire", str(tmp_path / "none")]) == 2
    assert main(["repertoire", str(tmp_path), "--task", "flying"]) == 2
    assert main(["repertoire", "spyder9"]) == 2
    *_, last = said = capsys.readouterr().err.splitlines()
    assert len(said) == 4
    assert "spyder9" in last
    assert last.endswith("babyA, gecko7, spider9")


def test_the_command_takes_a_robot_with_a_marker(tmp_path, capsys):
    page = tmp_path / "best.html"
    assert main(["repertoire", "spider9:6", "--best", "1", "--output", str(page)]) == 0
    assert "spider9, gait" in capsys.readouterr().out
