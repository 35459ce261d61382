# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The common part of studies that compare methods: our optimizers and peers.

A line in a study's table is a run; the page shows means over runs.
"""

from __future__ import annotations

import argparse
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from bea_ros.optimizers import create
from bea_ros.studies.engine import options
from bea_ros.studies.engine.ablation import without
from bea_ros.studies.engine.plan import Selection, check_known
from bea_ros.studies.engine.study import Study
from bea_ros.studies.optimizers.measure import CUT
from bea_ros.studies.optimizers.methods import PEERS, parts_of


@dataclass(frozen=True)
class MethodPlan(Selection):
    """The compared methods, and the end of their runs; `limit` is in CPU s.

    LEAST has the smallest allowed values of fields.
    """

    LEAST: ClassVar[Mapping[str, int]] = {"seeds": 1, "evaluations": 20}
    USUAL_PEERS: ClassVar[tuple[str, ...]] = tuple(PEERS)

    ours: tuple[str, ...] = ("bea", "bo", "ea")
    peers: tuple[str, ...] | None = None
    seeds: int = 1
    evaluations: int = 1500
    limit: float = 600.0

    def __post_init__(self) -> None:
        for name, least in self.LEAST.items():
            values = getattr(self, name)
            for value in values if isinstance(values, tuple) else (values,):
                if value < least:
                    flag = name.replace("_", "-")
                    raise ValueError(f"--{flag} {value}: at least {least} is needed")
        if not self.limit > 0:
            raise ValueError(f"--limit {self.limit:g}: seconds above 0")
        for method in self.ours:
            name, profile, own = parts_of(method)
            with without(own.pop("without", None)):
                create(name, 2, profile=profile, budget=self.evaluations, **own)
        check_known("peer", self.peers or (), PEERS)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The requested peers, or the usual ones."""
        return self.USUAL_PEERS if self.peers is None else self.peers

    @property
    def missing(self) -> list[str]:
        """The requested peers that are not installed."""
        return [name for name in self.wanted if not PEERS[name].installed]

    @property
    def methods(self) -> list[str]:
        """The methods that can run here: our optimizers, then the peers."""
        return [*self.ours, *(name for name in self.wanted if PEERS[name].installed)]


class MethodStudy(Study):
    """A study of methods on the engine."""

    PLAN: ClassVar[type[MethodPlan]]

    def finished(self, table: pd.DataFrame, plan: Any) -> pd.DataFrame:
        """All lines but those cut at a smaller limit than the plan's, and those with an error,
        whose cause may be mended by now.
        """
        cut_after = table["error"].str.extract(f"^{CUT} (.*) s$")[0].astype(float)
        return table[(table["error"] == "") | (cut_after >= plan.limit)]

    @abstractmethod
    def report(self, folder: Path, plan: Any) -> Path:
        """Print the tables and write the page; returns its path."""

    def run(self, parsed: argparse.Namespace) -> int:
        """Carry out missing runs, print the tables and write the report.

        Raises ValueError if an option is not allowed.
        """
        folder, given = options.read(parsed, self.FOLDER, self.PLAN)
        if parsed.without:
            ours = given.get("ours", ("bea",))
            more = (f"bea:without={name}" for name in parsed.without)
            given["ours"] = tuple(dict.fromkeys((*ours, *more)))
        plan = self.plan(given, parsed.quick, folder)
        for name in plan.missing:
            print(f"without {name}: pip install {PEERS[name].package}")
        self.carry_out(plan, folder, parsed.jobs)
        if self.table(folder).empty:
            raise ValueError("no run was finished")
        print(f"wrote {self.report(folder, plan)}")
        return 0
