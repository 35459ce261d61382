# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study of BBOB's functions, on the studies' engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from bea_ros.studies.bbob import FOLDER, USUAL_PEERS, report
from bea_ros.studies.bbob.runs import MARKS, Run, carry_out, grid, select
from bea_ros.studies.engine.data import read_settings, reading
from bea_ros.studies.engine.plan import marks_within, once
from bea_ros.studies.optimizers.comparing import MethodPlan, MethodStudy


@dataclass(frozen=True)
class Plan(MethodPlan):
    """Functions, dimensions, instances, methods and length of runs."""

    DECISIVE: ClassVar = ("evaluations", "evaluation_time")
    LEAST: ClassVar = {**MethodPlan.LEAST, "dimensions": 2, "instances": 1}
    USUAL_PEERS: ClassVar = USUAL_PEERS

    functions: tuple[str, ...] = ("all",)
    dimensions: tuple[int, ...] = (10, 20)
    instances: tuple[int, ...] = (1, 2, 3)
    evaluation_time: float | None = None

    def runs(self) -> list[Run]:
        functions = select(self.functions)
        length = self.evaluations, self.limit, self.evaluation_time
        return [
            Run(method, function, dimension, instance, seed, *length)
            for seed in range(self.seeds)
            for dimension in self.dimensions
            for instance in self.instances
            for function in functions
            for method in self.methods
        ]


class BbobStudy(MethodStudy):
    """Our optimizers and peers on the 24 functions: ranks, errors, runtimes."""

    FOLDER = FOLDER
    QUICK: ClassVar[Mapping[str, Any]] = {
        "functions": ("1", "8", "10", "15", "21"), "dimensions": (5,), "instances": (1,),
        "evaluations": 300,
    }  # fmt: skip
    PACKAGES = ("numpy", "scipy", "ioh", "cma", "cmaes", "nevergrad", "smac")
    PLAN, RUN = Plan, Run
    execute = staticmethod(partial(once, carry_out))

    def run_columns(self, plan: Plan) -> Sequence[str]:
        """Best values have the number of evaluations."""
        return ["n", "overhead", "error", *map(str, grid(plan.evaluations))]

    def run_row(self, run: Run, outcome: Mapping[str, Any]) -> Sequence[Any]:
        return [
            value if isinstance(value, str) else "nan" if value is None else f"{value:.5g}"
            for value in outcome.values()
        ]

    def report(self, folder: Path, plan: Plan) -> Path:
        """Write the report of the runs in the plan."""
        with reading(folder):
            table = report.numbers(self.table(folder))
        asked = {run.key for run in plan.runs()}
        keys = table[list(Run.KEY)].itertuples(index=False, name=None)
        table = table[[key in asked for key in keys]]
        present = [name for name in plan.methods if name in set(table["method"])]
        if not present:
            raise ValueError("no run was finished")
        marks = marks_within(MARKS, plan.evaluations)
        dimensions, instances = (
            ", ".join(map(str, sorted(set(table[name])))) for name in ("dimension", "instance")
        )
        unit = "evaluations"
        if plan.evaluation_time:
            unit += f" of {plan.evaluation_time:g} s, overhead included"
        lead = f"d = {dimensions}, instances {instances}, {plan.evaluations} {unit}"
        versions = read_settings(folder)[1]
        return report.write(folder, lead, unit, table, present, marks, versions)
