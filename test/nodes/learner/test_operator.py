# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A learner with somebody beside it, and nodes that hang or die: it waits, and loses nothing."""

import json
import os
import signal
import subprocess
from dataclasses import replace

import pytest
from bystander import Bystander
from diagnostic_msgs.msg import DiagnosticStatus
from graph import (
    HANGS,
    bea,
    config,
    cut_off,
    ending,
    evaluations_in,
    in_domain,
    learn_command,
    learned_alone,
    log_of,
    nodes_of,
    start,
    wait_for,
)
from separate_nodes import Graph

from bea_ros.runs.folder.run_folder import read_evaluations, read_trajectories

pytestmark = pytest.mark.graph
EVALUATIONS = 11


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "undisturbed"
    learned_alone(folder, EVALUATIONS)
    return folder


@pytest.mark.slow
def test_pause_repeat_resume_and_abort_by_command(undisturbed, tmp_path):
    run = tmp_path / "run"
    patience = {"reset": "service", "patience": 300.0, "reset_patience": 300.0}
    patient = config(tmp_path, learner=patience)
    # Slow, and its time stopped while the operator types: lest it is over before they are heard.
    slow = ("--real-time-factor", "1")
    with ending(start(learn_command(run, EVALUATIONS, 1, "--config", patient, *slow))) as process:
        wait_for(lambda: evaluations_in(run) >= 2)
        simulator = nodes_of(process)["simulator"]
        os.kill(simulator, signal.SIGSTOP)
        said = bea("operator", "pause", run)
        assert said.stdout == "the robot stops\n", said.stderr
        assert ": paused, " in bea("operator", "status", run).stdout
        had = evaluations_in(run)
        again = bea("operator", "repeat", run).stdout
        assert again.startswith("the last evaluation will be measured again: resume when")
        assert bea("operator", "pause", run).returncode == 1, "it is paused already"
        assert evaluations_in(run) == had, "a paused learner measures nothing"
        os.kill(simulator, signal.SIGCONT)
        assert bea("operator", "resume", run).stdout == "the learner resumes\n"
        wait_for(lambda: evaluations_in(run) >= had + 1)
        os.kill(simulator, signal.SIGSTOP)
        assert bea("operator", "abort", run).stdout.startswith("the robot stops, and the run ends")
        said = process.communicate(timeout=HANGS)[0]
    assert process.returncode == 0
    assert "PAUSED, the robot stands still: evaluation" in said
    assert f"operator resume {run}" in said
    assert bea("operator", "resume", tmp_path).returncode == 2, "no learner works there"
    lines = [json.loads(line) for line in (run / "evaluations.jsonl").open()]
    corrections = [line for line in lines if line.get("kind") == "correction"]
    assert [line["evaluation"] for line in corrections] == [had]
    done = bea("learn", "--output", run)
    assert done.returncode == 0, done.stderr
    # in simulation a second measurement is as the first
    without = [line for line in log_of(run) if '"kind": "correction"' not in line]
    assert without == log_of(undisturbed)
    assert "Measured again, doubted by the operator" in (run / "report.html").read_text()


def test_a_robot_that_is_not_seen_is_waited_for_and_said_to_be(domain, tmp_path):
    dark = {"camera.brightness": 0.0, "camera.noise": 0.0}
    path = config(tmp_path, simulator=dark, learner={"reset": "service"})
    run = tmp_path / "run"
    process = subprocess.Popen(
        learn_command(run, EVALUATIONS, 1, "--config", path, "--operator", "present"),
        stdout=subprocess.PIPE, text=True, env=in_domain(domain), start_new_session=True,
    )  # fmt: skip
    with ending(process):
        with Bystander(domain) as one:
            one.wait_for(one.paused)
            first = len(one.states)
            one.wait_for(lambda: len(one.states) > first + 2)  # and it says so again and again
            dark = "evaluation 1 cannot be trusted: the robot was not seen at the start"
            assert dark in one.states[-1].message
            assert "image is black" in one.states[-1].message
            one.wait_for(
                lambda: one.levels.get("learner: learning", (0,))[0] == DiagnosticStatus.ERROR
            )
            assert not one.ask("learner/repeat_last").success, "nothing was measured yet"
            assert one.ask("learner/abort").success
        said = process.communicate(timeout=HANGS)[0]
    assert process.returncode == 0
    assert said.count("PAUSED") == 1, "a fault is told once"
    assert "stopped: by the operator" in said
    assert evaluations_in(run) == 0


@pytest.mark.slow
def test_a_node_that_hangs_is_waited_for(undisturbed, tmp_path):
    run = tmp_path / "run"
    patience = {"reset": "service", "patience": 4.0, "reset_patience": 4.0, "attempts": 2}
    quickly = config(tmp_path, learner=patience)
    process = start(learn_command(run, EVALUATIONS, 1, "--operator", "present", "--confirm", "0",
                                  "--config", quickly))  # fmt: skip
    with ending(process):
        wait_for(lambda: evaluations_in(run) >= 2)
        victim = nodes_of(process)["camera_localization"]
        os.kill(victim, signal.SIGSTOP)
        wait_for(lambda: ": paused, " in bea("operator", "status", run).stdout)
        os.kill(victim, signal.SIGCONT)
        assert bea("operator", "resume", run).returncode == 0
        said = process.communicate(timeout=HANGS)[0]
    assert process.returncode == 0, said
    assert "no answer from" in said
    assert log_of(run) == log_of(undisturbed)
    again = bea("learn", "--output", run)  # without --confirm 0
    assert again.returncode == 0, again.stderr


@pytest.mark.slow
def test_a_slow_simulation_is_no_silent_one(tmp_path):
    """An evaluation of 2 s takes 10 s, and patience is for 3."""
    run = tmp_path / "run"
    hasty = config(tmp_path, learner={"patience": 3.0})
    slow = ("--real-time-factor", "0.2")
    with ending(start(learn_command(run, EVALUATIONS, 1, "--config", hasty, *slow))) as process:
        wait_for(lambda: evaluations_in(run) >= 1 or process.poll() is not None)
        assert process.poll() is None, process.communicate()[0]
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=HANGS)[0]
    assert "trying again" not in said


@pytest.mark.slow
def test_nodes_that_die_and_come_back_are_used_again(undisturbed, domain, tmp_path):
    quickly = {"reset": "service", "patience": 3.0, "reset_patience": 5.0, "attempts": 50}
    with Graph(tmp_path, domain, EVALUATIONS, **quickly) as graph:
        for number, name in enumerate(("camera_localization", "cpg_controller"), 1):
            wait_for(lambda number=number: evaluations_in(tmp_path) >= 3 * number)
            graph.kill(name)
            graph.start(name)
        assert graph.processes["learner"].wait(HANGS) == 0
    # A controller that is new may let a few control periods pass before the candidate begins.
    pairs = zip(read_evaluations(tmp_path), read_evaluations(undisturbed), strict=True)
    for ours, theirs in list(pairs)[:10]:  # then the optimizer has seen both
        assert ours["parameters"] == theirs["parameters"]
        moved, expected = (r["terms"]["displacement"] for r in (ours, theirs))
        assert moved == pytest.approx(expected, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameter", "value", "was"),
    [
        ("cpg_controller", "control_rate", 10.0, 20.0),
        ("cpg_controller", "gain", 3.5, 1),
        ("camera_localization", "jump", 1.0, 0.2),
    ],
)
def test_a_node_that_comes_back_with_other_settings_is_refused(
    name, parameter, value, was, domain, tmp_path
):
    quickly = {"reset": "service", "patience": 3.0, "reset_patience": 5.0}
    with Graph(tmp_path, domain, EVALUATIONS, **quickly) as graph, Bystander(domain) as one:
        one.wait_for(lambda: evaluations_in(tmp_path) >= 3)
        graph.kill(name)
        had = evaluations_in(tmp_path)
        usual = graph.specs[name]
        graph.specs[name] = replace(usual, parameters={**usual.parameters, parameter: value})
        graph.start(name)
        said = f"{name} has {parameter} {value}, this run {parameter} {was}"
        one.wait_for(lambda: one.resumed_until(said))
        assert evaluations_in(tmp_path) == had, "what it did is not recorded"
        graph.kill(name)
        graph.specs[name] = usual
        graph.start(name)
        one.ask("learner/resume")
        one.wait_for(lambda: one.resumed_until(" ") or evaluations_in(tmp_path) > had)


def test_a_robot_near_the_edge_is_put_back_by_the_operator(domain, tmp_path):
    """Nothing else puts it back: what is too near to the edge here is 2 cm off the middle."""
    asked, far = [], {"reset": "operator", "settle": 0.0, "margin": 1.48}
    few = {"algorithm": "bo", "options": ["initial_samples=3"]}
    with Graph(tmp_path, domain, 6, **far, **few) as graph, Bystander(domain) as one:

        def help_out():
            # A pause that was told again while it ended is none: then reset is refused.
            if one.paused() and one.ask("reset").success:
                asked.append(one.states[-1].message)
                one.ask("learner/resume")
                one.states.clear()
            return graph.processes["learner"].poll() is not None

        while graph.processes["learner"].poll() is None:
            had = evaluations_in(tmp_path)
            one.wait_for(lambda had=had: help_out() or evaluations_in(tmp_path) > had)
        assert graph.processes["learner"].returncode == 0
    assert any("from the arena's edge: put it back near the middle" in words for words in asked)
    assert len(read_evaluations(tmp_path)) == 6
    starts = [path.y[0] for path in read_trajectories(tmp_path).values()]
    assert max(map(abs, starts)) < 0.1  # it may take a step between the look and the start
    assert len({round(y, 4) for y in starts}) > 2, "it begins where the last one ended"


@pytest.mark.slow
def test_a_warm_start_begins_with_what_was_learned_elsewhere(undisturbed, tmp_path):
    def learn(*more):
        return bea("learn", "--output", tmp_path / "warm", *more)

    shared = ("--evaluations", 12, "--duration", 2, "--seed", 5)
    done = learn(*shared, "--warm-start", undisturbed)
    assert done.returncode == 0, done.stderr
    learned = read_evaluations(undisturbed)
    ranked = sorted(learned, key=lambda record: -record["fitness"])
    first = read_evaluations(tmp_path / "warm")[0]
    best = ranked[0]["parameters"]
    assert first["parameters"] == pytest.approx(best)
    assert first["fitness"] == pytest.approx(ranked[0]["fitness"], rel=0.1)  # another noise
    whole = log_of(tmp_path / "warm")
    cut_off(tmp_path / "warm", 7)
    assert learn().returncode == 0, "it goes on without the other run"
    assert log_of(tmp_path / "warm") == whole
    refused = bea("learn", "--output", tmp_path / "other", "--warm-start", tmp_path)
    assert refused.returncode == 2
    assert "warm_start" in refused.stderr
