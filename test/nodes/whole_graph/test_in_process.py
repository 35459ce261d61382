# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The same candidates through the ROS graph and in one process without ROS."""

import json

import numpy as np
import pytest
from graph import SHORT, bea

from bea_ros.robots import load_robot
from bea_ros.robots.cpg import PUBLISHED_WEIGHT_RANGE, CpgNetwork, output_of
from bea_ros.robots.motors import motor_of
from bea_ros.runs.folder.head import read_request
from bea_ros.runs.folder.run_folder import read_trajectories
from bea_ros.simulation.evaluation import Evaluator
from bea_ros.simulation.observed import Laboratory
from bea_ros.tasks import find_task

pytestmark = pytest.mark.graph
DURATION, SEED = 5.0, 3


@pytest.mark.parametrize(
    ("name", "task_name", "profile", "tolerance"),
    [
        # Each of the path's ten chords seems a millimetre or two longer than it is: 3 rad/m.
        ("gecko7", "rotating", "default", 0.08),
        ("babyA", "directed_locomotion:direction=1.57", "paper", 0.005),
        ("spider9", "gait", "default", 0.0005),
    ],
)
def test_graph_and_process_measure_the_same(name, task_name, profile, tolerance, tmp_path):
    done = bea(
        "learn", "--robot", name, "--task", task_name, "--profile", profile, "--seed", SEED,
        *SHORT, "--evaluations", 4, "--duration", DURATION, "--output", tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in (tmp_path / "evaluations.jsonl").open()]
    paths = read_trajectories(tmp_path)
    robot, task = load_robot(name), find_task(task_name)
    motor = motor_of(profile)
    assert read_request(tmp_path)["motor"] == motor
    laboratory = Laboratory(robot, seed=SEED, motor=motor)
    alone = Evaluator(robot, task, DURATION, profile=profile)
    for record in records:
        weights = record["parameters"]
        cpg = CpgNetwork.from_weights(robot, weights, output_of(profile))
        observed = laboratory.observe(cpg, DURATION)
        measured = task.evaluate(observed.seen, DURATION)
        # through the camera: the last bit may differ, as time does not start at 0 in the graph
        assert measured.value == pytest.approx(record["fitness"], rel=1e-9, abs=1e-12)
        assert measured.terms == pytest.approx(record["terms"], rel=1e-9, abs=1e-12)
        path = paths[record["evaluation"]]
        assert observed.seen.x == pytest.approx(path.x, abs=6e-6)  # the log is rounded to 10 um
        assert observed.seen.yaw == pytest.approx(path.yaw, abs=6e-6)
        # without the camera: the same world, bit for bit
        parameters = np.array(list(weights.values())) / PUBLISHED_WEIGHT_RANGE / 2 + 0.5
        true = alone.fitness_or_none(parameters)
        assert true == pytest.approx(task.evaluate(observed.truth, DURATION).value, abs=1e-6)
        assert true == pytest.approx(record["fitness"], rel=0.03, abs=tolerance)
