# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A finished run goes on with more evaluations."""

import json
from pathlib import Path

import numpy as np
import pytest

from bea_ros.bringup.arguments import LEARN_ARGUMENTS, RECORD_ARGUMENTS, ROBOT_ARGUMENTS
from bea_ros.bringup.graphs import learn_graph
from bea_ros.optimizers import create
from bea_ros.report.page import write_report
from bea_ros.runs.folder.budgets import budgets_of
from bea_ros.runs.folder.head import RunFolderError, check_same, read_head, read_request
from bea_ros.runs.folder.run_folder import RunFolder, read_evaluations
from bea_ros.runs.learning import LearningRun
from bea_ros.tasks import Trajectory

REQUEST = {
    "robot": "spider9", "generation": "small", "masses": "nominal", "task": "gait", "seed": 4,
    "algorithm": "bea", "profile": "default", "duration": 30.0, "confirm": 1, "options": {},
}  # fmt: skip


def opened(path, evaluations, confirm=1):
    first = budgets_of(read_request(path) or {"evaluations": evaluations})[0][1]
    return LearningRun(
        RunFolder(path, {**REQUEST, "evaluations": evaluations, "confirm": confirm}, {}),
        lambda: create("bea", 3, seed=4, budget=first),
        lambda x: {f"w{i}": float(value) for i, value in enumerate(x)},
        30.0,
        confirm,
    )


def learn(path, evaluations, most=10**6, confirm=1):
    """Learn until the end, or until so many measurements more."""
    run = opened(path, evaluations, confirm)
    for _ in range(most):
        trial = run.next()
        if trial is None:
            break
        count = sum(line["evaluation"] == trial.evaluation for line in run.folder.lines)
        noise = np.random.default_rng([trial.evaluation, count]).normal(0.0, 0.05)
        fitness = float(2.0 - sum((w - 0.4) ** 2 for w in trial.weights.values()) + noise)
        path = Trajectory([0.0, 30.0], [0.0, fitness * 30.0], [0.0, 0.0], [0.0, 0.0])
        run.take(trial, fitness, {}, path, 1, {"evaluation": 30.0, "interruptions": 0})
    run.folder.close()
    return run


def asked(path):
    return [record["parameters"] for record in read_evaluations(path)]


def test_bo_goes_on_as_if_more_had_been_planned(tmp_path):
    learn(tmp_path / "run", 20, confirm=0)
    learn(tmp_path / "run", 32, confirm=0)
    learn(tmp_path / "whole", 32, confirm=0)
    assert asked(tmp_path / "run") == asked(tmp_path / "whole")


@pytest.mark.parametrize("stops", [(5, 9, 14), (21, 22, 23), (26, 30, 40)])
def test_an_extended_run_resumes_from_any_line(stops, tmp_path):
    learn(tmp_path / "whole", 15)
    learn(tmp_path / "whole", 20)
    learn(tmp_path / "whole", 24)
    learn(tmp_path / "run", 15)
    learn(tmp_path / "run", 20)
    for lines in stops:
        done = len((tmp_path / "run" / "evaluations.jsonl").read_bytes().splitlines())
        learn(tmp_path / "run", 24, max(lines - done, 0))
    learn(tmp_path / "run", 24)
    lines = [
        [json.loads(line) for line in (tmp_path / name / "evaluations.jsonl").open()]
        for name in ("run", "whole")
    ]
    for one, other in zip(*lines, strict=True):
        assert {**one, "time": 0} == {**other, "time": 0}
    assert read_request(tmp_path / "run") == read_request(tmp_path / "whole")


def test_the_folder_and_the_report_say_so(tmp_path):
    learn(tmp_path, 15)
    run = opened(tmp_path, 18)
    assert run.folder.changes == ["18 evaluations are asked for, 15 before"]
    run.folder.close()
    assert read_request(tmp_path)["evaluations"] == 15  # nothing came of it yet
    learn(tmp_path, 18)
    head = read_head(tmp_path)
    assert head["request"]["budgets"] == [[1, 15], [16, 18]]
    assert head["changes"] == [
        {"evaluation": 16, "what": ["18 evaluations are asked for, 15 before"]}
    ]
    assert (
        "From evaluation 16 on, 18 evaluations are asked for, 15 before."
        in write_report(tmp_path).read_text()
    )


def test_a_run_is_not_made_shorter(tmp_path):
    learn(tmp_path, 15)
    with pytest.raises(
        RunFolderError, match=r"15 evaluations, which may become more, not 12.*--warm-start"
    ):
        learn(tmp_path, 12)


def test_the_ea_that_came_for_lack_of_evaluations_makes_room_for_bo():
    optimizer = create("bea", 2, seed=1, budget=20)
    values = iter(np.random.default_rng(1).normal(size=300))
    for _ in range(20):
        optimizer.tell(optimizer.ask(), next(values), evaluation_time=1.0, overhead_time=0.0)
    optimizer.extend(30)
    optimizer.ask()
    assert optimizer.stage == "bayesian"
    assert optimizer.options["switch"] == 30
    twin = create("bea", 2, seed=1, budget=20)
    twin.restore(json.loads(json.dumps(optimizer.state())))
    assert np.array_equal(twin.ask(), optimizer.ask())
    # a resumed run gives the options of its run.yaml
    resumed = create("bea", 2, seed=1, budget=20, **twin._first_options)
    resumed.restore(json.loads(json.dumps(optimizer.state())))
    assert np.array_equal(resumed.ask(), optimizer.ask())
    # another that was given is taken literally
    early = create("bea", 2, seed=1, budget=20, switch=12)
    for _ in range(20):
        early.tell(early.ask(), next(values), evaluation_time=1.0, overhead_time=0.0)
    early.extend(30)
    early.ask()
    assert (early.stage, early.options["switch"]) == ("evolutionary", 12)


def test_an_optimizer_is_extended_between_candidates_only():
    optimizer = create("ea", 2, seed=1, budget=20)
    optimizer.ask()
    with pytest.raises(ValueError, match="before the candidate that was asked is told"):
        optimizer.extend(30)


def test_a_finished_run_is_not_recorded_again(tmp_path):
    learn(tmp_path, 15)
    tables = (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS, *RECORD_ARGUMENTS)
    arguments = {argument.name: argument.default for argument in tables}
    arguments |= {"output": str(tmp_path), "record": True}
    for evaluations, recorded in ((15, False), (16, True)):
        nodes = learn_graph({**arguments, "evaluations": evaluations})
        assert ("recorder" in [node.executable for node in nodes]) == recorded
        assert nodes[-1].parameters["recorded"] == recorded


def test_another_robots_run_is_not_offered_as_a_warm_start(tmp_path):
    before = {"robot": "spider9", "task": "gait"}
    with pytest.raises(RunFolderError, match=r"task 'gait', not 'rotating'.*--warm-start"):
        check_same(tmp_path, before, {**before, "task": "rotating"})
    with pytest.raises(RunFolderError, match="--warm-start 'my runs/first' begins"):
        check_same(Path("my runs/first"), before, {**before, "task": "rotating"})
    with pytest.raises(RunFolderError, match=r"choose another output folder$"):
        check_same(tmp_path, before, {**before, "robot": "gecko7"})
