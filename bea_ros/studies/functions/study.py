# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study of the functions, on the studies' engine; f is minimised and 0 at the optimum."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bea_ros.studies.engine.curves import CurveStudy
from bea_ros.studies.engine.plan import once
from bea_ros.studies.engine.results import Results
from bea_ros.studies.functions import EVALUATION_TIMES, FOLDER
from bea_ros.studies.functions.plan import EVERY, Plan, Run

clock = time.thread_time  # does not count other processes, or other runs in a worker of Dask


def carry_out(run: Run) -> dict[str, Any]:
    """f (minimised) and overhead (s) of each evaluation of a run, the evaluations before the EA,
    and the best candidate.
    """
    optimizer, objective = run.optimizer(clock), run.objective()
    while len(optimizer.history) < run.evaluations:
        x = optimizer.ask()
        optimizer.tell(x, objective(x))
    history, best = optimizer.history, optimizer.best
    assert best is not None
    return {
        "f": [-record.fitness for record in history],
        "overhead": [record.overhead_time for record in history],
        "switch": sum(record.stage not in ("evolutionary", "local") for record in history),
        "candidate": best[0].tolist(),
    }


class FunctionStudy(CurveStudy):
    """The paper's study of synthetic functions (section VI)."""

    FOLDER = FOLDER
    QUICK: ClassVar = {"repetitions": 3, "evaluations": 300, "switch": 100}
    PACKAGES = ("numpy", "scipy", "scikit-learn")
    TIMES = EVALUATION_TIMES
    SHARED = ("bea-s1", "bea-s2", "bea-s3")
    PLAN, RUN = Plan, Run
    RUN_COLUMNS = ("seed", "evaluations", "switch", "f", "overhead_s", "candidate")
    CURVE_COLUMNS = ("evaluation", "best_f", "overhead_s")
    execute = staticmethod(partial(once, carry_out))

    def run_row(self, run: Run, outcome: Mapping[str, Any]) -> Sequence[Any]:
        return (
            run.seed, run.evaluations, outcome["switch"], min(outcome["f"]),
            f"{np.sum(outcome['overhead']):.4f}", " ".join(map(repr, outcome["candidate"])),
        )  # fmt: skip

    def curve_rows(self, run: Run, outcome: Mapping[str, Any]) -> Iterable[Sequence[Any]]:
        """Rows at every ten evaluations and both ends."""
        best, overhead = np.minimum.accumulate(outcome["f"]), np.cumsum(outcome["overhead"])
        n = len(best)
        for at in sorted({1, *range(EVERY, n + 1, EVERY), n}):
            yield at, f"{best[at - 1]:.8g}", f"{overhead[at - 1]:.5f}"

    def report(self, folder: Path, results: Results, times: Sequence[float]) -> Path:
        from bea_ros.studies.functions import report  # matplotlib, which runs do not need

        return report.write(folder, results, times)
