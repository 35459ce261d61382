# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study of the optimizers, on the studies' engine; f is minimised and 0 at the optimum."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bea_ros.studies.engine.data import read_settings, reading
from bea_ros.studies.engine.plan import marks_within
from bea_ros.studies.functions.problems import create, select
from bea_ros.studies.optimizers import FOLDER, report
from bea_ros.studies.optimizers.comparing import MethodPlan, MethodStudy
from bea_ros.studies.optimizers.measure import OVERHEAD_AT, Run, execute
from bea_ros.studies.optimizers.methods import PEERS

MARKS = (250, 500, 1000, 1500)  # evaluations after which tables show the best value


@dataclass(frozen=True)
class Plan(MethodPlan):
    """Functions, methods and length of runs."""

    DECISIVE: ClassVar = ("dimension", "evaluations", "limit")
    LEAST: ClassVar = {**MethodPlan.LEAST, "slow_seeds": 0}

    functions: tuple[str, ...] = ("textbook", "textbook-shifted", "rotated")
    seeds: int = 20
    slow_seeds: int = 2
    dimension: int = 20
    limit: float = 120.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "functions", select(self.functions))
        for name in self.functions:
            create(name, self.dimension)  # raises ValueError for a dimension below 2

    def runs(self) -> list[Run]:
        slow = {name for name, peer in PEERS.items() if peer.slow}
        return [
            Run(method, function, seed, self.dimension, self.evaluations, self.limit)
            for seed in range(self.seeds)
            for function in self.functions
            for method in self.methods
            if method not in slow or seed < self.slow_seeds
        ]


class OptimizerStudy(MethodStudy):
    """BO, EA and BEA side by side with other optimizers: value, overhead, memory."""

    FOLDER = FOLDER
    QUICK: ClassVar[Mapping[str, Any]] = {
        "functions": ("schwefel-textbook", "griewank-textbook-shifted", "rastrigin-rotated"),
        "seeds": 2, "slow_seeds": 1, "evaluations": 300, "limit": 6.0,
    }  # fmt: skip
    PACKAGES = ("numpy", "scipy", "cma", "cmaes", "nevergrad", "optuna", "smac")
    PLAN, RUN = Plan, Run
    execute = staticmethod(execute)

    def run_columns(self, plan: Plan) -> Sequence[str]:
        best = (f"f_{n}" for n in marks_within(MARKS, plan.evaluations))
        return ["evaluations", *best, *report.OVERHEADS, "overhead_s", "peak_mib", "error"]

    def run_row(self, run: Run, outcome: Mapping[str, Any]) -> Sequence[Any]:
        best, overhead = outcome["best"], outcome["overhead"]
        marks = marks_within(MARKS, run.evaluations)
        values = [best[n - 1] if n <= len(best) else math.nan for n in marks]
        values += [1000 * overhead.get(str(n), math.nan) for n in OVERHEAD_AT]
        return [
            outcome["n"], *(f"{v:.8g}" if math.isfinite(v) else "" for v in values),
            f"{outcome['total']:.4f}", f"{outcome['peak_mib']:.1f}", outcome["error"],
        ]  # fmt: skip

    def report(self, folder: Path, plan: Plan) -> Path:
        """Write the report of all runs in the folder."""
        with reading(folder):
            runs = report.numbers(self.table(folder))
        present = report.in_order(set(runs["method"]))
        functions = runs["function"].unique()
        tables = {name: report.summary(runs, present, name) for name in functions}
        lead = (
            f"d = {plan.dimension}, {plan.evaluations} evaluations, up to "
            f"{1 + runs['seed'].max()} seeds, {plan.limit:g} CPU s a run"
        )
        missing = [name for name in plan.missing if name not in present]
        failed = runs[runs["error"] != ""]
        errors = (failed["method"] + ": " + failed["error"]).unique()
        versions = read_settings(folder)[1]
        return report.write(folder, lead, tables, versions, missing, errors)
