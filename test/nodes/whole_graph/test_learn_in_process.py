# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea learn --in-process` leaves what the graph leaves."""

import shutil
from pathlib import Path

import pytest
from graph import (
    HANGS,
    SHORT,
    UNDISTURBED,
    bea,
    config,
    cut_off,
    ending,
    evaluations_in,
    learn_command,
    learn_here,
    learned,
    log_of,
    one_line,
    start,
    wait_for,
)

from bea_ros.__main__ import main
from bea_ros.localization import window
from bea_ros.runs.folder.head import read_request, read_surroundings
from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.system.resources import resource_path

FILES = ("trajectories.jsonl", "best.yaml")


def test_a_camera_without_images_makes_no_robot_tumble(tmp_path, capsys):
    """As in the graph, where an evaluation that nobody saw is no measurement."""
    rare = config(tmp_path, simulator={"camera.rate": 0.2})
    assert learn_here(tmp_path / "run", 12, "--no-images", "--config", rare, *SHORT) == 1
    assert "cannot be trusted" in capsys.readouterr().out
    assert not read_evaluations(tmp_path / "run")


def assert_equal(alone, graph):
    """A run in one process and one of the graph left the same."""
    assert log_of(alone) == log_of(graph)
    for name in FILES:
        assert (alone / name).read_bytes() == (graph / name).read_bytes()
    assert read_request(alone) == read_request(graph)


def given_up(run):
    """Evaluations, by their attempts, of which some were no measurement to the end."""
    return [r["attempts"] for r in read_evaluations(run) if "given_up" in r]


@pytest.mark.graph
def test_log_is_that_of_the_graph(undisturbed_run, tmp_path):
    assert learn_here(tmp_path / "alone", UNDISTURBED) == 0
    assert_equal(tmp_path / "alone", undisturbed_run[0])
    assert 3 not in given_up(tmp_path / "alone")


@pytest.mark.graph
def test_log_is_that_of_the_graph_in_another_world(tmp_path):
    """Another camera, another floor, other rates, and a broken robot that tumbles.

    Eight degrees of tilt are a fall, and nobody puts it back exactly.
    """
    graph, alone = tmp_path / "graph", tmp_path / "alone"
    world = config(
        tmp_path,
        simulator={
            "physics.friction": 0.6, "physics.servo_delay": 0.03, "control_rate": 30.0,
            "start.position": 0.05, "start.yaw": 0.2, "camera.rate": 7.0,
            "camera.delay": 0.1, "camera.encoding": "rgb8", "camera.z": 2.7,
        },
        cpg_controller={"control_rate": 30.0, "gain": 0.8},
        camera_localization={"dropout": 0.5, "edge": 0.2, "tilt": 8.0},
        learner={"attempts": 2},
    )  # fmt: skip
    more = [*SHORT, "--robot", "gecko7", "--profile", "paper", "--task", "rotating"]
    more += ["--damage", "leg_00=limp,body_0=stuck:0.5,leg_11=missing", "--config", world]
    learned(graph, 4, *more)
    while any(one["time"]["interruptions"] for one in read_evaluations(graph)):
        shutil.rmtree(graph)  # by a busy machine: the robot was put elsewhere then
        learned(graph, 4, *more)
    assert learn_here(alone, 4, *more) == 0
    assert_equal(alone, graph)
    assert 0 < given_up(alone).count(2) < 4


@pytest.mark.graph
def test_run_changes_between_graph_and_process(tmp_path):
    """Begun in one process, interrupted, and finished in the graph: the same log."""
    # Repeats each new best, and has long evaluations, lest all is done before it is interrupted.
    more = (*SHORT, "--duration", "3", "--confirm", "1")
    assert learn_here(tmp_path / "whole", 6, *more) == 0
    process = start(learn_command(tmp_path / "run", 6, 1, "--in-process", *more))
    wait_for(lambda: evaluations_in(tmp_path / "run") >= 1)
    process.send_signal(2)
    said, _ = process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert "stopped. What was measured is saved" in said
    assert read_surroundings(tmp_path / "run") == {"in_process": True}
    done = bea("learn", "--output", tmp_path / "run", "--no-in-process")
    assert done.returncode == 0, done.stderr
    assert_equal(tmp_path / "whole", tmp_path / "run")


def test_a_folder_that_is_gone_is_not_said_to_be_saved(tmp_path):
    run, light = tmp_path / "run", ("--in-process", "--no-images", "--algorithm", "ea")
    with ending(start(learn_command(run, 300, 1, *light))) as process:
        wait_for(lambda: (run / "best.yaml").exists())
        run.rename(tmp_path / "gone")
        said = process.communicate(timeout=HANGS)[0]
    assert process.returncode == 1
    assert "WHAT WAS MEASURED IS LOST" in said.splitlines()[-1]
    assert "saved" not in said
    assert not run.exists()


@pytest.mark.parametrize("place", [0.0, 0.05])
def test_a_repetition_that_measures_the_same_again_is_named(place, tmp_path, capfd):
    path = config(tmp_path, simulator={"start.position": place})
    words = ("--no-images", "--confirm", "1", "--duration", "2", "--config", path)
    assert learn_here(tmp_path / "run", 10, *words) == 0
    assert ("a repetition measures the same again" in capfd.readouterr().out) is (place == 0.0)
    repeated = [r["measurements"] for r in read_evaluations(tmp_path / "run") if "told" in r]
    assert repeated
    assert all((one == two) is (place == 0.0) for one, two in repeated)


def test_without_images_a_seed_decides_and_the_run_stays_so(tmp_path, capsys):
    for name in ("one", "other"):
        assert learn_here(tmp_path / name, 11, "--no-images") == 0
    assert log_of(tmp_path / "one") == log_of(tmp_path / "other")
    assert read_request(tmp_path / "one")["images"] is False
    cut_off(tmp_path / "other", 6)
    assert main(["learn", "--output", str(tmp_path / "other")]) == 0
    assert log_of(tmp_path / "other") == log_of(tmp_path / "one")
    capsys.readouterr()
    assert main(["learn", "--output", str(tmp_path / "other"), "--images"]) == 2
    one_line(capsys.readouterr().err, "is a run with images False, not True")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--robot-backend", "gazebo"], "--robot-backend gazebo is for the graph"),
        (["--record"], "--record is for the graph, not for --in-process: give --no-record"),
        (["--operator", "present"], "--in-process has no operator"),
        (["--physics", "2", "--prior", "default", "--learned-world"], "--no-learned-world"),
        (["--no-images", "--no-in-process"], "--no-in-process: without images, or with --physics"),
        (["--physics", "2", "--no-in-process"], "--no-in-process: without images"),
        (["--told", "worst"], "told worst is for several draws: give --physics, too"),
    ],
)
def test_what_only_the_graph_has_is_refused(options, reason, tmp_path, capfd):
    assert learn_here(tmp_path / "run", 8, *options) == 2
    one_line(capfd.readouterr().err, reason)
    assert not (tmp_path / "run").exists()


def test_numbers_beyond_ros_are_refused(tmp_path, capfd):
    assert learn_here(tmp_path / "run", 10**400) == 2
    assert ": allowed is a whole number from 1 to 1000000" in capfd.readouterr().err
    assert learn_here(tmp_path / "run", 8, "--seed", str(2**63)) == 2
    refused = capfd.readouterr().err
    assert "seed is 9223372036854775808: allowed is a whole number from 0, below 2^63" in refused


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"gain": 1000.0}, "parameter gain is 1000.0: allowed is a number from 0.01 to 100"),
        ({"gian": 1.0}, "cpg_controller: there is no parameter 'gian'"),
        ({"control_rate": 40.0}, "control_rate is 20.0 of the simulator and 40.0 of the cpg_cont"),
    ],
)
def test_parameters_are_checked_as_the_nodes_do(parameters, reason, tmp_path, capfd):
    path = config(tmp_path, cpg_controller=parameters)
    assert learn_here(tmp_path / "run", 8, "--config", path) == 2
    one_line(capfd.readouterr().err, reason)


@pytest.mark.parametrize(
    ("node", "parameters", "reason"),
    [
        ("learner", {"gain": 2.0}, "gain 2.0 of the learner is not that of the cpg_controller"),
        ("learner", {"motor": "revolve"}, "cpg_controller has motor servo, this run motor rev"),
        ("camera_localization", {}, "camera_localization has map 5 x 3 m"),
    ],
)
def test_nodes_that_do_not_fit_each_other_are_refused(node, parameters, reason, tmp_path, capfd):
    arena = resource_path("config/arena.yaml").read_text().replace("width: 4.0", "width: 5.0")
    (tmp_path / "wide.yaml").write_text(arena)
    path = config(tmp_path, **{node: parameters or {"arena": str(tmp_path / "wide.yaml")}})
    assert learn_here(tmp_path / "run", 12, "--config", path) == 2
    one_line(capfd.readouterr().err, reason)
    assert not (tmp_path / "run").exists()


def test_a_rare_gait_that_looks_carried_counts_as_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert learn_here(tmp_path / "usual", 11, "--no-images") == 0
    found = "moved 0.07 m in 0.25 s unlike at any other time", 2.0
    monkeypatch.setattr(window, "carried", lambda *_: found)
    assert learn_here(tmp_path / "rare", 11, "--no-images") == 0
    rare, usual = (read_evaluations(tmp_path / name) for name in ("rare", "usual"))
    assert [r["fitness"] for r in rare] == [r["fitness"] for r in usual]
