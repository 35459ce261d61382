# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Graphs of tests keep to this machine, and each to a domain of its own; runs to try things on."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from crashes import pytest_handlecrashitem, pytest_xdist_make_scheduler  # noqa: F401

from bea_ros.bringup.supervisor import free_domain
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import to_weights
from bea_ros.runs.folder.run_folder import RunFolder
from bea_ros.simulation.evaluation import Evaluator
from bea_ros.system.resources import resource_path
from bea_ros.tasks import find_task

os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"  # also of the nodes that they start
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each node compiles bea_ros anew


_turns = itertools.count()


@pytest.fixture(scope="module")
def domain() -> Iterator[int]:
    """A ROS_DOMAIN_ID that no other graph on this machine has.

    Nor had a moment ago: nodes that were killed are known to others for some seconds.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
    first = 6 * worker + next(_turns) % 6
    lock, number = free_domain([70 + (first + i) % 32 for i in reversed(range(32))])
    yield number
    if lock:
        lock.close()


@pytest.fixture(scope="session")
def check_urdf() -> str:
    """Path of ROS's checker of URDF: this environment's (cmeel-urdfdom) or Debian's."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    tool = shutil.which("check_urdf", path=path)
    return tool or pytest.skip("check_urdf is not installed: pip install cmeel-urdfdom")


@pytest.fixture
def own_robot(tmp_path: Path) -> str:
    """Path of a robot that does not come with the package: a gecko7 with marker 60."""
    robot = tmp_path / "ant.urdf.xacro"
    text = resource_path("urdf/gecko7.urdf.xacro").read_text()
    robot.write_text(text.replace('filename="modules/', 'filename="$(arg modules)/'))
    (tmp_path / "ant.yaml").write_text("marker_id: 60")
    return str(robot)


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[..., Path]:
    """A function that makes a run of one evaluation, of a candidate that is drawn."""

    def make(
        robot: str = "gecko7",
        task: str = "gait",
        algorithm: str = "bea",
        seed: int = 1,
        duration: float = 3.0,
        robot_backend: str = "simulator",
        motor: str = "servo",
        damage: str = "",
        **surroundings: str,
    ) -> Path:
        folder = tmp_path / f"{Path(robot).name}-{task}-{algorithm}-{seed}"
        request = {
            "robot": robot, "generation": "small", "masses": "nominal", "task": task,
            "algorithm": algorithm, "profile": "default", "evaluations": 1, "seed": seed,
            "duration": duration, "weight_range": 1.5, "options": {},
            "robot_backend": robot_backend, "motor": motor, "damage": damage,
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


LONG = ("studies", "repertoire", "simulation")  # folders of tests that compute


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Graphs, which wait, and files that compute come first and in turn; then all others.

    Whoever is free takes the next file, so the last ones have to be short. A file goes to one
    worker, which makes once what its tests share.
    """
    graphs = {item.path: 0.0 for item in items if item.get_closest_marker("graph")}
    long = {
        item.path: 0.0
        for item in items
        if item.path not in graphs and item.path.parent.name in LONG
    }
    for files in (graphs, long):
        for i, path in enumerate(files):
            files[path] = i / len(files)
    places = long | graphs
    items.sort(key=lambda item: places.get(item.path, 1.0))
