# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a run takes over from another one."""

import numpy as np
import pytest

from bea_ros.robots.cpg import from_weights, to_weights
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.run_folder import RunFolder
from bea_ros.runs.warm_start import best_and_diverse, start_candidates
from bea_ros.tasks import Trajectory

PATH = Trajectory([0.0, 1.0], [0.0, 0.1], [0.0, 0.0], [0.0, 0.0])


@pytest.fixture
def run(tmp_path):
    """Forty evaluations around two peaks, one a little higher."""
    folder = RunFolder(tmp_path, {"robot": "spider9", "task": "gait"}, {})
    rng = np.random.default_rng(1)
    for number in range(1, 41):
        peak = np.array([0.2, 0.2] if number % 2 else [0.8, 0.8])
        x = np.clip(peak + 0.1 * rng.standard_normal(2), 0.0, 1.0)
        fitness = 1.0 + 0.1 * (number % 2) - float(np.sum((x - peak) ** 2))
        weights = dict(zip(("a", "b"), to_weights(x, 1.5).tolist(), strict=True))
        record = {"evaluation": number, "parameters": weights, "fitness": fitness}
        record |= {"terms": {}, "stage": "initial", "attempts": 1}
        record["time"] = {"overhead": 0.0, "evaluation": 1.0}
        folder.append(record, PATH)
    folder.close()
    return tmp_path


def test_weights_and_parameters_are_each_other_s_inverse():
    x = np.array([0.0, 0.3, 1.0])
    np.testing.assert_allclose(from_weights(to_weights(x, 1.5), 1.5), x)


def test_the_best_that_are_not_alike_come_first(run):
    first, second = start_candidates(run, ["a", "b"], 1.5, 2)
    assert np.linalg.norm(first - 0.2) < 0.15
    assert start_candidates(run, ["b", "a"], 1.5, 2)[0] == pytest.approx(first[::-1])
    assert np.linalg.norm(first - second) > 0.02
    wider = start_candidates(run, ["a", "b"], 3.0, 2)
    np.testing.assert_allclose(wider[0], (first - 0.5) / 2 + 0.5)


def test_clusters_of_the_best_quarter():
    x = np.array([[0.1], [0.11], [0.12], [0.9], [0.91], [0.5], [0.51], [0.52]])
    fitness = np.array([5.0, 4.9, 4.8, 4.0, 4.1, 1.0, 1.1, 1.2])
    np.testing.assert_allclose(
        best_and_diverse(np.repeat(x, 4, 0), np.repeat(fitness, 4), 2)[0], 0.1
    )


def test_another_robot_and_too_short_a_run_are_refused(run):
    with pytest.raises(RunFolderError, match="of a robot with other CPG weights"):
        start_candidates(run, ["a", "c"], 1.5, 2)
    with pytest.raises(RunFolderError, match="has 40 measurements, not 50"):
        start_candidates(run, ["a", "b"], 1.5, 50)


def test_weights_beyond_the_range_are_refused_as_they_would_be_another_gait(run):
    with pytest.raises(
        RunFolderError, match=r"weight of 0.9\d+ /s, beyond the weight_range of 0.5"
    ):
        start_candidates(run, ["a", "b"], 0.5, 2)
