# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run's folder as a learner would leave it, without a learner."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bea_ros.robots import load_robot
from bea_ros.robots.cpg import to_weights
from bea_ros.runs.folder import RunFolder
from bea_ros.simulation.evaluation import Evaluator
from bea_ros.tasks import find_task


@pytest.fixture
def make_run(tmp_path):
    """A function that makes a run of one evaluation, of a candidate that is drawn."""

    def make(
        robot="gecko7", task="gait", algorithm="bea", seed=1, duration=3.0, **surroundings
    ) -> Path:
        folder = tmp_path / f"{robot}-{task}-{algorithm}-{seed}"
        request = {
            "robot": robot, "generation": "small", "masses": "nominal", "task": task,
            "algorithm": algorithm, "profile": "default", "evaluations": 1, "seed": seed,
            "duration": duration, "weight_range": 1.5, "options": {},
        }  # fmt: skip
        parameters = load_robot(robot).parameter_names
        candidate = np.random.default_rng(seed).uniform(0, 1, len(parameters))
        evaluator = Evaluator(load_robot(robot), find_task(task), duration)
        path = evaluator.trajectory(candidate)
        weights = dict(zip(parameters, to_weights(candidate, 1.5).tolist(), strict=True))
        fitness = find_task(task).evaluate(path, duration)
        run = RunFolder(folder, request, {}, surroundings)
        run.append(
            {
                "evaluation": 1, "stage": "initial", "parameters": weights,
                "fitness": fitness.value, "terms": fitness.terms, "attempts": 1,
                "time": {"at": "", "overhead": 0.001, "evaluation": 0.1, "interruptions": 0},
            },
            path,
        )  # fmt: skip
        run.write_best(
            {
                "evaluation": 1, "attempt": 1, "robot": robot,
                "names": list(weights), "values": list(weights.values()),
            },
            "best",
        )  # fmt: skip
        run.close()
        return folder

    return make
