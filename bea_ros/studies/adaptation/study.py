# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study of adaptation, on the studies' engine; fitness is maximised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bea_ros.robots import load_robot
from bea_ros.studies.adaptation import FOLDER, report
from bea_ros.studies.adaptation.methods import Trials, learn, method_of, repertoire_of
from bea_ros.studies.adaptation.plan import FRESH, WARM_START, Plan, Run
from bea_ros.studies.engine.curves import CurveStudy
from bea_ros.studies.engine.plan import once
from bea_ros.studies.engine.results import Results


def carry_out(run: Run) -> list[float]:
    """Fitness of each evaluation of a run."""
    trials = Trials(*run.world(), run.task, run.seconds, run.seed)
    return learn(method_of(run, trials.motions), trials, run.evaluations).tolist()


class AdaptationStudy(CurveStudy):
    """The study of robots in changed worlds."""

    FOLDER = FOLDER
    QUICK: ClassVar = {
        "tasks": ("gait",), "changes": ("physics",), "repetitions": 1, "duration": 15.0,
        "algorithms": ("fresh", "prior", "ordered", "nature"),
    }  # fmt: skip
    PACKAGES = ("numpy", "scipy", "mujoco")
    TIMES = (0.0,)
    PLAN, RUN = Plan, Run
    RUN_COLUMNS = ("seed", "evaluations", "best")
    CURVE_COLUMNS = ("evaluation", "best", "overhead_s")
    execute = staticmethod(partial(once, carry_out))

    def possible(self, runs: Sequence[Run]) -> Sequence[Run]:
        """All of them; raises RepertoireError now, as the first that needs one may come late."""
        taught = [run for run in runs if run.algorithm not in (FRESH, WARM_START)]
        for prior, robot in dict.fromkeys((run.prior, run.robot) for run in taught):
            repertoire_of(prior, load_robot(robot))
        return runs

    def run_row(self, run: Run, outcome: Sequence[float]) -> Sequence[Any]:
        return run.seed, run.evaluations, max(outcome)

    def curve_rows(self, run: Run, outcome: Sequence[float]) -> Iterable[Sequence[Any]]:
        for number, best in enumerate(np.maximum.accumulate(outcome).tolist(), 1):
            yield number, f"{best:.8g}", 0

    def report(self, folder: Path, results: Results, times: Sequence[float]) -> Path:
        return report.write(folder, results)
