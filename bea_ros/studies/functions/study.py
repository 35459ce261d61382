# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study of the functions, on the studies' engine; f is minimised and 0 at the optimum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bea_ros.studies.engine.curves import CurveStudy
from bea_ros.studies.engine.results import Results
from bea_ros.studies.functions import EVALUATION_TIMES, FOLDER, report
from bea_ros.studies.functions.plan import Plan, Run
from bea_ros.studies.functions.problems import select
from bea_ros.studies.functions.report import EVERY
from bea_ros.studies.functions.worker import Outcome, execute, read


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
    execute = staticmethod(execute)

    def outcome(self, run: Run, files: Path) -> Outcome | None:
        return read(run, files)

    def plan(self, given: Mapping[str, Any], quick: bool, folder: Path) -> Any:
        if "functions" in given:
            given = {**given, "functions": select(given["functions"])}
        return super().plan(given, quick, folder)

    def run_row(self, run: Run, outcome: Outcome) -> Sequence[Any]:
        return (
            run.seed, run.evaluations, outcome.switch, float(outcome.f.min()),
            f"{outcome.overhead.sum():.4f}", " ".join(map(repr, outcome.candidate.tolist())),
        )  # fmt: skip

    def curve_rows(self, run: Run, outcome: Outcome) -> Iterable[Sequence[Any]]:
        """Rows at every ten evaluations and both ends."""
        best, overhead = np.minimum.accumulate(outcome.f), np.cumsum(outcome.overhead)
        n = len(best)
        for at in sorted({1, *range(EVERY, n + 1, EVERY), n}):
            yield at, f"{best[at - 1]:.8g}", f"{overhead[at - 1]:.5f}"

    def report(self, folder: Path, results: Results, times: Sequence[float]) -> Path:
        return report.write(folder, results, times)
