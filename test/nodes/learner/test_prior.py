# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run that learns from a repertoire."""

import shutil

import numpy as np
import pytest
from graph import cut_off, log_of, one_line

from bea_ros.__main__ import main
from bea_ros.nodes.learner.assignment import LEARNED_WORLD
from bea_ros.nodes.learner.parameters import ONLY, prior_of
from bea_ros.nodes.shared.parameters import ParameterError
from bea_ros.repertoire import Repertoire, learned_world, load
from bea_ros.repertoire.ranking import expected, fitness_of
from bea_ros.repertoire.store import FILE
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import to_weights
from bea_ros.runs.folder.head import read_request
from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.tasks import find_task

pytestmark = pytest.mark.usefixtures("few_simulations")
ROBOT, DURATION = "gecko7", 2.0


def learn(output, prior, *more, evaluations=4):
    return main([
        "learn", "--in-process", "--no-images", "--robot", ROBOT, "--duration", str(DURATION),
        "--evaluations", str(evaluations), "--prior", str(prior), "--output", str(output), *more,
    ])  # fmt: skip


@pytest.fixture(scope="module")
def run(repertoire, few_simulations, tmp_path_factory):
    output = tmp_path_factory.mktemp("runs") / "run"
    assert learn(output, repertoire) == 0
    return output


def test_the_first_tried_is_what_the_repertoire_expects_to_be_best(repertoire, run):
    known = load(repertoire / FILE)
    first = read_evaluations(run)[0]
    fitness = expected(fitness_of(known, find_task("gait"), DURATION))
    best = int(np.argmax(fitness))
    assert list(first["parameters"].values()) == pytest.approx(
        to_weights(known.candidates[best], 1.5)
    )
    assert first["stage"] == "repertoire"
    assert first["predicted"]["mean"] == pytest.approx(fitness[best], rel=0.02)
    assert first["predicted"]["deviation"] > 0
    assert read_request(run)["algorithm"] == "bo"


def test_the_report_shows_predicted_and_measured(run):
    page = (run / "report.html").read_text()
    assert "Predicted and measured" in page
    assert "BO from a repertoire" in page


def test_a_run_that_was_cut_off_goes_on_as_it_would_have(run, tmp_path):
    shutil.copytree(run, tmp_path / "cut")
    cut_off(tmp_path / "cut", 3)
    assert main(["learn", "--output", str(tmp_path / "cut")]) == 0
    assert log_of(tmp_path / "cut") == log_of(run)


def test_a_broken_joint_is_found_again_where_the_searches_were_removed(
    repertoire, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(learned_world, "diagnosed", lambda *_: "leg_01=limp")
    assert learn(tmp_path / "run", repertoire, evaluations=2) == 0
    (tmp_path / "run" / LEARNED_WORLD).unlink()
    capsys.readouterr()
    assert main(["learn", "--output", str(tmp_path / "run"), "--evaluations", "3"]) == 0
    assert "it moves as if leg_01 were limp" in capsys.readouterr().out


def test_enough_ends_a_run_before_its_budget_is_spent(repertoire, tmp_path, capsys):
    assert learn(tmp_path / "run", repertoire, "--enough", "0.1", evaluations=20) == 0
    done = len(read_evaluations(tmp_path / "run"))
    assert 1 <= done < 20
    said = capsys.readouterr().out
    assert "that is enough" in said
    assert f"after {done} evaluation{'s' * (done > 1)} the best" in said
    assert said.splitlines()[-1].endswith(f"--output {tmp_path / 'run'} --enough 0")


def test_what_does_not_fit_is_refused_in_a_line(repertoire, run, tmp_path, capsys):
    known = load(repertoire / FILE)
    other = Repertoire(
        ROBOT, known.fingerprint, "small", 1.0, known.names, known.candidates, known.paths,
        known.physics,
    )  # fmt: skip
    other.save(tmp_path / "other" / FILE)
    moved = Repertoire(
        ROBOT, known.fingerprint, "small", 1.5, known.names, known.candidates, known.paths / 2,
        known.physics,
    )  # fmt: skip
    moved.save(tmp_path / "moved" / FILE)
    new = tmp_path / "new"
    for output, prior, more, words in (
        (new, tmp_path / "other", (), "weight range 1.0, not 1.5"),
        (new, repertoire, ("--robot", "babyA"), "another robot, gecko7"),
        (new, repertoire, ("--generation", "large"), "generation small, not large"),
        (new, tmp_path / "none", (), "bea explore makes one"),
        (new, repertoire, ("--algorithm", "ea"), "algorithm ea"),
        (new, repertoire, ("--profile", "paper"), "profile paper"),
        (new, repertoire, ("--warm-start", str(run)), "warm_start"),
        (new, "", ("--enough", "0.9"), "only with a prior"),
        (run, tmp_path / "moved", (), "choose another output folder"),
    ):
        assert learn(output, prior, *more) == 2, words
        one_line(capsys.readouterr().err, words)
    assert not new.exists()


def test_what_a_prior_is_not_combined_with_is_said_with_what_is_allowed():
    for name, value, allowed in (
        ("warm_start", "runs/x", "only without it"),
        ("algorithm", "ea", "only 'bo'"),
        ("gain", 0.2, "only 1.0"),  # it was made, and is simulated, with the usual one
    ):
        values = {"prior": "default", **ONLY, name: value}
        with pytest.raises(ParameterError, match=f"not with {name} {value}, {allowed}$"):
            prior_of(values, load_robot(ROBOT), find_task("gait"), 15.0)
