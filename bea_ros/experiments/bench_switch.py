# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA's switch by gain per second against fixed switches, at equal computation time.

Every run has the time that the cheapest run of the same problem takes for all its evaluations.
A fixed switch is chosen in hindsight: the one that was best over all problems and seeds.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table
from threadpoolctl import threadpool_limits

from bea_ros.experiments import functions
from bea_ros.optimizers import create

Array = NDArray[np.float64]

FUNCTIONS = ("textbook-shifted", "rotated")
DIMENSION, EVALUATIONS = 20, 1500
EVALUATION_TIMES = (0.1, 1.0, 10.0)  # s (paper)
FIXED = (50, 100, 200, 300, 500, 800, 1499)


class Curve(NamedTuple):
    """A run: the smallest f so far and the overhead (s) of each evaluation; when it switched."""

    best: Array
    overhead: Array
    switch: int

    def after(self, seconds: float, evaluation_time: float) -> float:
        """The smallest f after so much time."""
        spent = np.cumsum(evaluation_time + self.overhead)
        return float(self.best[max(int(np.searchsorted(spent, seconds, "right")) - 1, 0)])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--seeds", type=int, default=5, help="runs of each switch (default 5)")
    parser.add_argument("--profile", default="default", help="default or paper")
    parser.add_argument(
        "--evaluations", type=int, default=EVALUATIONS, help="evaluations of a run (default 1500)"
    )
    parser.add_argument("--jobs", type=int, default=-1, help="runs at a time (default: all cores)")


def run(parsed: argparse.Namespace) -> int:
    """Print, for each evaluation time, what each switch came to."""
    names = functions.select(FUNCTIONS)
    problems = list(itertools.product(names, range(1, parsed.seeds + 1)))
    fixed = [n for n in FIXED if n < parsed.evaluations]
    switches: list[Any] = [*fixed, *(("gain", seconds) for seconds in EVALUATION_TIMES)]
    curves: dict[Any, dict[Any, Curve]] = defaultdict(dict)
    jobs = [(problem, switch) for problem in problems for switch in switches]
    found = Parallel(n_jobs=parsed.jobs, batch_size=1, return_as="generator")(
        delayed(learn)(*problem, switch, parsed.evaluations, parsed.profile)
        for problem, switch in jobs
    )
    for (problem, switch), curve in track(zip(jobs, found, strict=True), "runs", len(jobs)):
        curves[problem][switch] = curve
    for seconds in EVALUATION_TIMES:
        Console().print(table(curves, fixed, seconds))
    return 0


def learn(function: str, seed: int, switch: Any, evaluations: int, profile: str) -> Curve:
    """One run of BEA."""
    options: dict[str, Any] = {"switch": switch}
    if isinstance(switch, tuple):
        options = {"switch": "gain", "assumed_evaluation_time": switch[1]}
    objective = functions.create(function, DIMENSION, seed)
    with threadpool_limits(1):
        bea = create(
            "bea",
            DIMENSION,
            seed=seed,
            budget=evaluations,
            profile=profile,
            clock=time.process_time,
            **options,
        )
        for _ in range(evaluations):
            x = bea.ask()
            bea.tell(x, objective(x))
    history = bea.history
    return Curve(
        np.minimum.accumulate([-record.fitness for record in history]),
        np.array([record.overhead_time for record in history]),
        sum(record.stage != "evolutionary" for record in history),
    )


def table(curves: dict[Any, dict[Any, Curve]], fixed: list[int], seconds: float) -> Table:
    """What each switch came to where an evaluation takes so many seconds."""
    rows = {switch: [] for switch in (*fixed, ("gain", seconds))}  # type: ignore[var-annotated]
    for runs in curves.values():
        limit = min(float(np.sum(seconds + curve.overhead)) for curve in runs.values())
        for switch, of_switch in rows.items():
            curve = runs[switch]
            start = curve.best[9]
            of_switch.append((curve.after(limit, seconds), start))
    closed = {s: np.mean([1.0 - f / start for f, start in row]) for s, row in rows.items()}
    error = {s: np.exp(np.mean([np.log(max(f, 1e-9)) for f, _ in row])) for s, row in rows.items()}
    best = max(fixed, key=lambda switch: closed[switch])
    least = min(fixed, key=lambda switch: error[switch])
    shown = Table(
        *("switch after", "f at the end (geometric mean)", "over the best fixed"),
        *("of the first ten's best gained", "of the best fixed"),
        title=f"Evaluations of {seconds:g} s, equal computation time, {len(curves)} problems",
    )
    for switch in rows:
        name = str(switch)
        if isinstance(switch, tuple):
            when = sorted(runs[switch].switch for runs in curves.values())
            name = f"by gain: {when[0]} to {when[-1]}, median {when[len(when) // 2]}"
        shown.add_row(
            name,
            f"{error[switch]:.4g}",
            f"{error[switch] / error[least]:.2f}",
            f"{100 * closed[switch]:.2f} %",
            f"{100 * closed[switch] / closed[best]:.2f} %",
        )
    return shown
