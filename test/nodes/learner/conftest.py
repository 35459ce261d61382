# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What learners of tests are given: a repertoire, short searches, an assignment of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from bea_ros.nodes.learner.assignment import Assignment
from bea_ros.nodes.learner.parameters import PARAMETERS, with_operator
from bea_ros.nodes.shared.parameters import check_all
from bea_ros.repertoire import Repertoire, learned_world
from bea_ros.repertoire.plan import Plan, physics_of
from bea_ros.repertoire.store import FILE, fingerprint
from bea_ros.repertoire.trying import paths_of
from bea_ros.robots import load_robot

DRAWS = 2


@pytest.fixture(scope="session")
def repertoire(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a few gaits of gecko7, each tried for 3 s."""
    robot, plan = load_robot("gecko7"), Plan("gecko7")
    candidates = np.random.default_rng(1).random((8, len(robot.parameter_names)))
    candidates = np.round(candidates * 65535) / 65535
    paths = np.array([paths_of(x, plan, DRAWS, 3.0) for x in candidates], dtype=float)
    names, physics = tuple(robot.parameter_names), physics_of(DRAWS)
    found = Repertoire(
        "gecko7", fingerprint(robot), "small", 1.5, names, candidates, paths, physics
    )
    folder = tmp_path_factory.mktemp("repertoire")
    found.save(folder / FILE)
    return folder


@pytest.fixture(scope="module")
def few_simulations() -> Iterator[None]:
    """Searches in the learned world are short: their length matters to no test here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learned_world, "BUDGET", 6)
        yield


@pytest.fixture
def assign(tmp_path: Path) -> Callable[..., Assignment]:
    """A function that gives a learner short evaluations of gecko7, and more parameters."""

    def make(**more: object) -> Assignment:
        given = {"robot": "gecko7", "duration": 1.0, "output": str(tmp_path), **more}
        return Assignment(with_operator(check_all(PARAMETERS, given, "learner"), simulated=True))

    return make
