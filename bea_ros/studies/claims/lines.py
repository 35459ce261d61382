# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A claim's line: the paper's statement, our data, and whether they agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from bea_ros.studies.engine.results import Array, Result
from bea_ros.studies.engine.statistics import (
    SIGNIFICANT,
    holm,
    mann_whitney,
    p_text,
    signed_rank,
)

YES, NO, OPEN = "yes", "no", "open"
ENOUGH = 10  # pairs needed to conclude that there is no difference


@dataclass(frozen=True)
class Line:
    """One claim in one case, for one reading of the paper.

    `p` is corrected over the claim's cases (Holm), NaN without a test. `runs` has the number of
    runs of both sides and their evaluations. `holds` is YES, NO or OPEN, and `why` a short reason.
    """

    claim: str
    case: str
    paper: str
    reading: str = field(default="", kw_only=True)
    ours: str
    runs: str
    p: float
    holds: str
    why: str = ""


@dataclass(frozen=True)
class Sides:
    """Runs of two sides: a claim says that `better` is better than `worse`.

    They are compared after `at` evaluations, or at the end of the shortest run.
    """

    case: str
    paper: str
    better: Sequence[Result]
    worse: Sequence[Result]
    at: float = math.inf

    @property
    def evaluations(self) -> int:
        """The number of evaluations after which both are compared."""
        return int(min(self.at, *(run.evaluation[-1] for run in (*self.better, *self.worse))))

    @property
    def values(self) -> tuple[list[float], list[float]]:
        """Best value of each run after `evaluations`, for both sides."""
        at = self.evaluations
        return [run.after(at) for run in self.better], [run.after(at) for run in self.worse]

    @property
    def counted(self) -> str:
        """Number of runs of both sides, and evaluations, as text."""
        return f"{len(self.better)}, {len(self.worse)} of {self.evaluations}"


def ranking(
    claim: str,
    cases: Sequence[Sides],
    *,
    maximised: bool,
    shared: bool = False,
    same: bool = False,
) -> list[Line]:
    """A line for each case of a claim that one side is better, or with `same` that none is.

    YES needs the claimed order with p < 0.05, NO the opposite one with p < 0.05; else the line is
    OPEN. `shared` runs are pairs.
    """
    cases = [case for case in cases if len(case.better) and len(case.worse)]
    test = signed_rank if shared else mann_whitney
    ps = holm([test(*case.values) for case in cases])
    lines = []
    for case, p in zip(cases, ps, strict=True):
        ours, theirs = (sum(side) / len(side) for side in case.values)
        ahead = (ours > theirs) is maximised
        enough = min(len(case.better), len(case.worse)) >= ENOUGH
        holds, why = _no_difference(p, enough) if same else said(ahead, p)
        numbers = f"{ours:.4g} : {theirs:.4g}"
        lines.append(Line(claim, case.case, case.paper, numbers, case.counted, p, holds, why))
    return lines


def said(ahead: bool, p: float) -> tuple[str, str]:
    """Whether a claimed order holds, and why not."""
    if p < SIGNIFICANT:
        return (YES, "") if ahead else (NO, "the other way round")
    return OPEN, f"{'as claimed' if ahead else 'the other way'}, not significant"


def _no_difference(p: float, enough: bool) -> tuple[str, str]:
    if p < SIGNIFICANT:
        return NO, f"p {p_text(p)}"
    return (YES, "not told apart") if enough else (OPEN, "too few runs")


def within(values: Sequence[float], low: float, high: float) -> tuple[str, str]:
    """Whether all measured numbers are in a claimed range; OPEN without numbers (NaN is none)."""
    found = [value for value in values if math.isfinite(value)]
    if not found:
        return OPEN, "there is none"
    ways = {
        "less": min(found) < low,
        "more": max(found) > high,
        "never at times": len(found) < len(values),
    }
    why = " and ".join(word for word, there in ways.items() if there)
    return (NO, why) if why else (YES, "")


def time_shares(sides: Sides, switch: int, seconds: float) -> tuple[float, float]:
    """Ratio of computation times, better over worse, up to the compared evaluation.

    Evaluations take `seconds` each. The first ratio uses the measured overhead, the second the
    paper's cost of BO.
    """

    def share(clock: Callable[[Result], Array]) -> float:
        ours, theirs = (
            np.mean([np.interp(sides.evaluations, run.evaluation, clock(run)) for run in side])
            for side in (sides.better, sides.worse)
        )
        return float(ours / theirs)

    measured = share(lambda run: run.times(seconds))
    return measured, share(lambda run: run.papers_times(seconds, switch))
