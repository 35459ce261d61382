# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA's switch by gain per second against fixed switches, at equal computation time.

Every run has the time that the cheapest run of the same problem takes for all its evaluations.
A fixed switch is chosen in hindsight: the one that was best over all problems and seeds.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track
from rich.table import Table
from threadpoolctl import threadpool_limits

from bea_ros.optimizers import create
from bea_ros.studies.engine.statistics import geometric_mean, resample
from bea_ros.studies.functions import EVALUATION_TIMES, problems
from bea_ros.studies.functions.worker import Outcome, clock, minimise

FUNCTIONS = ("textbook-shifted", "rotated")
DIMENSION = 20
FIRST = 10  # evaluations whose best the gain is counted from
LEAST = 1e-9  # smaller f count as this
FIXED = (50, 100, 200, 300, 500, 800, 1499)


def compare(seeds: int, evaluations: int, profile: str, jobs: int) -> None:
    """Print, for each evaluation time, what each switch came to."""
    names = problems.select(FUNCTIONS)
    cases = list(itertools.product(names, range(1, seeds + 1)))
    fixed = [n for n in FIXED if n < evaluations]
    switches: list[Any] = [*fixed, *(("gain", seconds) for seconds in EVALUATION_TIMES)]
    runs: dict[Any, dict[Any, Outcome]] = defaultdict(dict)
    asked = [(problem, switch) for problem in cases for switch in switches]
    found = Parallel(n_jobs=jobs, batch_size=1, return_as="generator")(
        delayed(learn)(*problem, switch, evaluations, profile) for problem, switch in asked
    )
    for (problem, switch), outcome in track(zip(asked, found, strict=True), "runs", len(asked)):
        runs[problem][switch] = outcome
    for seconds in EVALUATION_TIMES:
        Console().print(table(runs, fixed, seconds))


def learn(function: str, seed: int, switch: Any, evaluations: int, profile: str) -> Outcome:
    """One run of BEA."""
    options: dict[str, Any] = {"switch": switch}
    if isinstance(switch, tuple):
        options = {"switch": "gain", "assumed_evaluation_time": switch[1]}
    options |= {"seed": seed, "budget": evaluations, "profile": profile, "clock": clock}
    if profile == "default":
        options["turns"] = False
    options |= problems.published_options(function, "bea", profile)
    with threadpool_limits(1):
        bea = create("bea", DIMENSION, **options)
        return minimise(problems.create(function, DIMENSION, seed), bea, evaluations)


def table(runs: dict[Any, dict[Any, Outcome]], fixed: list[int], seconds: float) -> Table:
    """What each switch came to where an evaluation takes so many seconds."""
    found: dict[Any, list[float]] = defaultdict(list)
    gained: dict[Any, list[float]] = defaultdict(list)
    for of_problem in runs.values():
        times = {s: np.cumsum(seconds + run.overhead) for s, run in of_problem.items()}
        limit = min(spent[-1] for spent in times.values())
        for switch in (*fixed, ("gain", seconds)):
            best = np.minimum.accumulate(of_problem[switch].f)
            f = float(resample(times[switch], best, limit))
            found[switch].append(max(f, LEAST))
            gained[switch].append(1.0 - f / best[FIRST - 1])
    error = {switch: geometric_mean(values) for switch, values in found.items()}
    share = {switch: float(np.mean(values)) for switch, values in gained.items()}
    least, most = min(error[s] for s in fixed), max(share[s] for s in fixed)
    shown = Table(
        *("switch after", "f at the end (geometric mean)", "over the best fixed"),
        *("of the first ten's best gained", "of the best fixed"),
        title=f"Evaluations of {seconds:g} s, equal computation time, {len(runs)} problems",
    )
    for switch in found:
        name = str(switch)
        if isinstance(switch, tuple):
            when = sorted(of_problem[switch].switch for of_problem in runs.values())
            name = f"by gain: {when[0]} to {when[-1]}, median {when[len(when) // 2]}"
        shown.add_row(
            name,
            f"{error[switch]:.4g}",
            f"{error[switch] / least:.2f}",
            f"{100 * share[switch]:.2f} %",
            f"{100 * share[switch] / most:.2f} %",
        )
    return shown
