# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea adapt`: a gait is measured again on a robot that is broken."""

import shutil
from pathlib import Path

import pytest
from graph import bea, cut_off, log_of, one_line

from bea_ros.__main__ import main
from bea_ros.nodes.learner.adaptation import before_of, candidate_of
from bea_ros.robots import load_robot
from bea_ros.runs.folder.head import REQUEST, RunFolderError, read_head, read_request
from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.system.yaml_files import sealed

pytestmark = pytest.mark.usefixtures("few_simulations")
ROBOT, DURATION = "gecko7", 2.0
JOINT = load_robot(ROBOT).joints[0].name
QUICK = ("--in-process", "--no-images")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run in the world as it is; its best is changed, so that nothing else decides."""
    output = tmp_path_factory.mktemp("runs") / "run"
    arguments = ["--robot", ROBOT, "--duration", str(DURATION), "--evaluations", "12"]
    assert main(["learn", *QUICK, *arguments, "--output", str(output)]) == 0
    return output


def adapt(run: Path, output: Path, prior: Path, *more: str) -> int:
    return main(["adapt", str(run), "--output", str(output), "--prior", str(prior), *more])


def best_of(run: Path):
    return max(read_evaluations(run), key=lambda record: record["fitness"])


def test_a_gait_that_is_as_good_as_it_was_is_kept(run, repertoire, tmp_path, capsys):
    assert adapt(run, tmp_path / "same", repertoire) == 0
    (only,) = read_evaluations(tmp_path / "same")
    assert only["parameters"] == pytest.approx(best_of(run)["parameters"])
    assert only["fitness"] == pytest.approx(best_of(run)["fitness"], rel=0.2)
    said = capsys.readouterr().out
    assert "nothing is learned" in said
    assert "learn more" not in said  # it would end at once again
    assert adapt(run, tmp_path / "same", repertoire) == 0
    assert "nothing is measured, as this adaptation had ended" in capsys.readouterr().out
    assert main(["doctor", str(tmp_path / "same")]) == 0
    assert "the run is finished" in capsys.readouterr().out  # it could be resumed, doctor said


def test_a_gait_is_not_compared_with_one_over_another_time(run, repertoire, tmp_path, capsys):
    assert adapt(run, tmp_path / "longer", repertoire, "--duration", "3") == 2
    assert "takes 2 s, not 3: give the same duration" in capsys.readouterr().err


def test_a_mean_over_several_worlds_is_not_compared_with_one(run, repertoire, tmp_path, capsys):
    drawn, new = tmp_path / "drawn", tmp_path / "new"
    shutil.copytree(run, drawn)
    head = read_head(drawn)
    head["request"]["physics"] = 4
    (drawn / REQUEST).write_bytes(sealed(head))
    assert adapt(drawn, new, repertoire) == 2
    one_line(capsys.readouterr().err, "was learned in 4 draws of physics")
    assert not new.exists()


def test_weights_that_would_be_another_gait_are_not_compared(run, tmp_path):
    names = load_robot(ROBOT).parameter_names
    with pytest.raises(
        RunFolderError, match=r"beyond the weight_range of 0\.1: give the run's own"
    ):
        candidate_of(run, names, 0.1)
    shutil.copytree(run, tmp_path / "paper")
    head = read_head(run)
    (tmp_path / "paper" / REQUEST).write_bytes(
        sealed({**head, "request": {**head["request"], "profile": "paper"}})
    )
    with pytest.raises(RunFolderError, match="was learned with profile paper"):
        before_of(tmp_path / "paper", "gait", DURATION)
    assert before_of(run, "gait", DURATION) == best_of(run)["fitness"]


def test_a_robot_that_lost_much_learns_anew_from_the_prior(run, repertoire, tmp_path, capsys):
    broken = ",".join(f"{joint.name}=stuck" for joint in load_robot(ROBOT).joints[:4])
    output = tmp_path / "broken"
    assert adapt(run, output, repertoire, "--damage", broken, "--evaluations", "3") == 0
    records = read_evaluations(output)
    assert records[0]["stage"] == "initial"
    assert {record["stage"] for record in records[1:]} <= {"repertoire", "bayesian"}
    assert len(records) == 3
    request = read_request(output)
    assert request["damage"] == broken
    assert request["before"] == best_of(run)["fitness"]
    said = capsys.readouterr().out
    assert f"the gait had {best_of(run)['fitness']:.4f} m/s and has" in said
    log = log_of(output)
    cut_off(output, 2)
    assert main(["adapt", str(run), "--output", str(output)]) == 0
    assert log_of(output) == log


def test_what_cannot_be_adapted_is_refused_in_a_line(run, repertoire, tmp_path, capsys):
    new = tmp_path / "new"
    for folder, more, reason in (
        (tmp_path / "none", (), "is not the folder of a run"),
        (run, ("--task", "rotating"), "is a run of the task gait, not rotating"),
        (run, ("--damage", "arm=limp"), "no joint 'arm' to damage"),
        (run, ("--robot", "babyA"), "of a robot with other CPG weights"),
    ):
        assert adapt(folder, new, repertoire, *more) == 2, reason
        one_line(capsys.readouterr().err, reason)
    assert not new.exists()


def test_a_folder_that_adapts_another_gait_is_not_resumed(run, repertoire, tmp_path, capsys):
    other, output = tmp_path / "other", tmp_path / "adapted"
    shutil.copytree(run, other)
    assert main(["learn", "--output", str(other), "--evaluations", "30"]) == 0
    assert best_of(other)["fitness"] > best_of(run)["fitness"]
    assert adapt(run, output, repertoire) == 0
    for folder in (output, run):
        log = log_of(folder)
        assert adapt(other, folder, repertoire) == 2
        assert (
            f"does not adapt the best gait of {other}: choose another" in capsys.readouterr().err
        )
        assert log_of(folder) == log


@pytest.mark.graph
def test_the_graph_adapts_as_one_process_does(run, repertoire, tmp_path):
    more = ("--damage", f"{JOINT}=stuck:0.6", "--evaluations", "3", "--images")
    graph = ("--prior", repertoire, *more, "--no-in-process", "--page", "off")
    done = bea("adapt", run, "--output", tmp_path / "graph", *graph)
    assert done.returncode == 0, done.stderr
    assert adapt(run, tmp_path / "alone", repertoire, *more, "--in-process") == 0
    assert log_of(tmp_path / "alone") == log_of(tmp_path / "graph")
