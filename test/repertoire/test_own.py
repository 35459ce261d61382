# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The tutorials' robot and task: explored, asked about and learned from, by the commands."""

from importlib import import_module
from pathlib import Path

import pytest

from bea_ros.__main__ import main
from bea_ros.repertoire import learned_world, load
from bea_ros.repertoire.plan import Plan
from bea_ros.repertoire.ranking import expected, fitness_of
from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.tasks import find_task
from bea_ros.tasks.fitness import TASKS, task

pytest.importorskip("ribs", reason="pip install ribs")
from bea_ros.repertoire import exploring, search
from bea_ros.repertoire.exploring import FILE, explore

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorials" / "own_robot.md"
DURATION = 3.0


@pytest.fixture(scope="module")
def walker(tmp_path_factory):
    folder, text = tmp_path_factory.mktemp("walker"), TUTORIAL.read_text()
    end = "</robot>"
    xacro = text[text.index("<?xml") : text.index(end) + len(end)]
    (folder / "walker.urdf.xacro").write_text(xacro)
    (folder / "walker.yaml").write_text("marker_id: 10")
    return str(folder / "walker.urdf.xacro")


@pytest.fixture(scope="module")
def explored(walker, tmp_path_factory):
    folder = tmp_path_factory.mktemp("explored")
    plan = Plan(walker, duration=DURATION, batch=12, kept_duration=DURATION, kept_draws=2)
    with pytest.MonkeyPatch.context() as patch:  # half as many random candidates
        for module in (exploring, search):
            patch.setattr(module, "FIRST", 48)
        explore(plan, folder, 60, jobs=1)
    return folder


@pytest.fixture
def strolling():
    import_module("bea_ros.nodes.learner.parameters")  # it names the tasks that are there by then

    @task(duration=20.0, unit="m", additive=True)
    def strolling(trajectory):
        return {"fitness": float(trajectory.x[-1] - trajectory.x[0])}

    yield
    del TASKS["strolling"]


def test_a_robot_of_ones_own_learns_a_task_of_ones_own_from_its_repertoire(
    walker, explored, strolling, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(learned_world, "BUDGET", 6)  # how well it learns does not matter here
    known, output = load(explored / FILE), tmp_path / "run"
    best = expected(fitness_of(known, find_task("strolling"), DURATION)).max()
    asked = ["--task", "strolling", "--duration", str(DURATION)]
    assert main([
        "repertoire", str(explored), *asked, "--output", str(tmp_path / "page.html"),
    ]) == 0  # fmt: skip
    assert f"{best:.4f}" in capsys.readouterr().out
    assert main([
        "learn", "--in-process", "--no-images", "--robot", walker, "--prior", str(explored),
        *asked, "--evaluations", "3", "--output", str(output),
    ]) == 0  # fmt: skip
    first, *_ = found = read_evaluations(output)
    assert len(found) == 3
    assert first["predicted"]["mean"] == pytest.approx(best)
    assert abs(first["fitness"] - best) < 3 * first["predicted"]["deviation"]
