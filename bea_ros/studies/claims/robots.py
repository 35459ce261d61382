# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's claims about its nine cases (section VII)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from bea_ros.report.paper import FITNESS_RATIOS, TIME_RATIOS
from bea_ros.studies.claims.functions import NAMES
from bea_ros.studies.claims.lines import (
    NO,
    OPEN,
    YES,
    Line,
    Sides,
    ranking,
    said,
    time_shares,
    within,
)
from bea_ros.studies.engine.comparison import standing_after
from bea_ros.studies.engine.results import AT, Results
from bea_ros.studies.engine.statistics import signed_rank
from bea_ros.tasks import title_of

OVER_BO = "bea_over_bo_measured_masses"  # a column of gaits.csv
LEAST = 0.01  # a smaller ratio, of a robot that fell, counts as this
EVALUATION_TIME = 1.0  # s, about that of the paper's simulated gait


def claims(results: Results) -> Iterator[Line]:
    """The lines of every claim."""
    for other in ("bo", "ea"):
        yield from _ahead(results, other)
    early = results.settings["evaluations"] // 4
    for when, at in ((f"after {early} evaluations", early), ("in the end", math.inf)):
        sides = [
            Sides(_name(case), "ahead", bo, ea, at)
            for case, bo, ea in results.pairs("bo", "ea", shared=False)
        ]
        claim = f"BO is ahead of the EA {when}"
        yield from ranking(claim, sides, maximised=True)
    for other in ("bo", "ea"):
        yield from _time(results, other)


def on_real_robots(table: pd.DataFrame) -> Iterator[Line]:
    """BEA's best controllers over BO's on real robots; `table` has the gaits of a study.

    Ours are those with the masses of the real robots.
    """
    if OVER_BO not in table or not (found := table.dropna(subset=OVER_BO)).size:
        return
    ours, theirs = found[OVER_BO], found.real_bea_over_bo
    logs = np.log(ours.clip(lower=LEAST))
    p = signed_rank(logs, np.zeros(len(logs)))
    ahead = f"{sum(ours > 1)} of {len(ours)}"
    holds, why = said(logs.mean() > 0, p)
    yield Line(
        "BEA's best controllers are ahead of BO's on real robots", "all cases",
        f"in {sum(theirs > 1)} of {len(theirs)}, {_span(theirs)}",
        f"in {ahead}, {_span(ours)}, with the real masses", f"{len(ours)} cases", p, holds, why,
    )  # fmt: skip


def _name(case: tuple[str, ...]) -> str:
    return f"{case[0]}, {title_of(case[1])}"


def _ahead(results: Results, other: str) -> Iterator[Line]:
    """BEA's best fitness over the other's, in each case and as a geometric mean over all.

    The mean is after the evaluations that all runs have.
    """
    claim = f"BEA ends ahead of {NAMES[other]} on robots"
    published_ratios = FITNESS_RATIOS[other]
    sides = []
    for case, bea, rest in results.pairs("bea", other):
        ratio = f"{100 * published_ratios[case]:.0f} %" if case in published_ratios else "-"
        sides.append(Sides(_name(case), ratio, bea, rest))
    shared = other in results.shared
    yield from ranking(claim, sides, maximised=True, shared=shared)
    if not sides:
        return
    end = min(side.evaluations for side in sides)
    (found,) = standing_after(results, other, end, end).itertuples()
    low, high = (f"{100 * end:.0f} %" for end in (found.low, found.high))
    shares = list(published_ratios.values())
    sure = found.low > 1.0 or found.high < 1.0
    holds = (YES if found.ratio > 1.0 else NO) if sure else OPEN
    yield Line(
        claim, "all cases", f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %",
        f"{100 * found.ratio:.0f} % ({low} to {high})", f"{found.cases} cases", found.p, holds,
        "" if sure else "the interval has 100 % in it",
    )  # fmt: skip


def _time(results: Results, other: str) -> Iterator[Line]:
    """BEA's computation time over the other's, with evaluations of EVALUATION_TIME."""
    sides = [
        Sides(_name(case), "", bea, rest)
        for case, bea, rest in results.pairs("bea", other, shared=False)
    ]
    if not sides:
        return
    switch = results.settings["switch"]
    shares = [time_shares(side, switch, EVALUATION_TIME) for side in sides]
    measured, on_paper = zip(*shares, strict=True)
    low, high = min(TIME_RATIOS[other].values()), max(TIME_RATIOS[other].values())
    evaluations = min(side.evaluations for side in sides)
    holds = within(on_paper, low, high)
    if holds[0] == NO and evaluations < AT:
        holds = OPEN, f"{evaluations} evaluations, the paper's {AT}"
    yield Line(
        f"BEA's computation time over {NAMES[other]}'s on robots", "all cases",
        f"{100 * low:.0f} to {100 * high:.0f} %",
        f"{_span(measured)}; {_span(on_paper)} at the paper's cost of BO",
        f"{len(measured)} cases", math.nan, *holds,
    )  # fmt: skip


def _span(shares: Sequence[float]) -> str:
    low, high = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
    return f"{low} %" if low == high else f"{low} to {high} %"
