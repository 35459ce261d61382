# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study of adaptation, on the studies' engine; fitness is maximised."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from bea_ros.studies.adaptation import FOLDER, report
from bea_ros.studies.adaptation.methods import method_of
from bea_ros.studies.adaptation.plan import ALGORITHMS, Plan, Run
from bea_ros.studies.adaptation.trying import learn, trials_of
from bea_ros.studies.engine.curves import CurveStudy
from bea_ros.studies.engine.results import Result, Results
from bea_ros.system.files import read_whole, replace_file

SUFFIX = ".json"


def execute(run: Run, folder: Path) -> None:
    """Carry out a run, unless `folder` has its file."""
    path = folder / f"{run.name}{SUFFIX}"
    if path.exists():
        return
    with threadpool_limits(1):
        trials = trials_of(*run.world(), run.task, run.seconds, run.seed)
        fitness = learn(method_of(run), trials, run.evaluations)
    replace_file(path, json.dumps({"run": run.head, "fitness": fitness.tolist()}))


class AdaptationStudy(CurveStudy):
    """The study of robots in changed worlds."""

    FOLDER = FOLDER
    QUICK: ClassVar = {
        "tasks": ("gait",), "changes": ("physics",), "repetitions": 1, "duration": 15.0,
        "algorithms": ("fresh", "prior", "ordered", "nature"),
    }  # fmt: skip
    PACKAGES = ("numpy", "scipy", "mujoco")
    TIMES = (0.0,)
    SUFFIX = SUFFIX
    PLAN, RUN = Plan, Run
    RUN_COLUMNS = ("seed", "evaluations", "best")
    CURVE_COLUMNS = ("evaluation", "best", "overhead_s")
    execute = staticmethod(execute)

    def outcome(self, run: Run, files: Path) -> NDArray[np.float64] | None:
        path = files / f"{run.name}{SUFFIX}"
        if not path.exists():
            return None
        try:
            stored = json.loads(read_whole(path))
            if stored["run"] == run.head:
                return np.array(stored["fitness"], dtype=float)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is damaged: remove it to repeat the run") from error
        raise ValueError(f"{path} is of another run: choose another --output")

    def run_row(self, run: Run, outcome: NDArray[np.float64]) -> Sequence[Any]:
        return run.seed, run.evaluations, float(outcome.max())

    def curve_rows(self, run: Run, outcome: NDArray[np.float64]) -> Iterable[Sequence[Any]]:
        for number, best in enumerate(np.maximum.accumulate(outcome).tolist(), 1):
            yield number, f"{best:.8g}", 0

    def order(self, settings: dict[str, Any], found: Sequence[Result]) -> tuple[list, list]:
        known = {result.case for result in found}
        plan = Plan.of(settings)
        algorithms = {result.algorithm for result in found}
        return (
            [case for case in plan.cases() if case in known],
            [name for name in ALGORITHMS if name in algorithms],
        )

    def report(self, folder: Path, results: Results, times: Sequence[float]) -> Path:
        return report.write(folder, results)
