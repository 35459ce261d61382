# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's claims about its three functions (section VI)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from bea_ros.studies.claims.lines import NO, OPEN, YES, Line, Sides, ranking, time_shares, within
from bea_ros.studies.engine.figures import LABELS
from bea_ros.studies.engine.results import Result, Results, overhead_per_evaluation
from bea_ros.studies.functions.gain import gain_per_second, switch_point
from bea_ros.studies.functions.plan import TRANSFERS

TIMES = (0.1, 1.0, 10.0)  # s of an evaluation (paper)
SWITCH = (190.0, 300.0)  # evaluations between which the EA overtakes BO (paper)
LATER = (1.1, 1.4)  # ratio of that number with evaluations of 10 s to that with 0.1 s (paper)
NAMES = {"bo": "BO", "ea": "the EA"}  # in a sentence
LEAST = 1e-9  # s, of an overhead that a clock did not measure
CUBIC_FROM = 500  # first evaluation in the fit of the growth of BO's cost


def claims(results: Results) -> Iterator[Line]:
    """The lines of every claim."""
    yield from _costs(results)
    yield from _switches(results)
    yield from _transfers(results)
    for better, worse in (("bo", "ea"), ("bea", "bo"), ("bea", "ea")):
        claim = f"{LABELS[better]} ends ahead of {NAMES[worse]}"
        yield from ranking(claim, _sides(results, better, worse), maximised=False)
    yield from _times(results)


def _name(case: Sequence[str]) -> str:
    return case[0].split("-")[0].capitalize()


def _sides(
    results: Results,
    better: str,
    worse: str,
    paper: str = "ahead",
    shared: bool = False,
    names: Sequence[str] = (),
) -> list[Sides]:
    """Both sides in each case; `shared` runs are pairs of a repetition with the same BO."""
    return [
        Sides(_name(case), paper, ours, theirs)
        for case, ours, theirs in results.pairs(better, worse, shared)
        if not names or _name(case) in names
    ]


def _costs(results: Results) -> Iterator[Line]:
    """Fig. 1, on Griewank: BO is better after few evaluations, and its cost grows."""
    for case, bo, ea in results.pairs("bo", "ea", shared=False):
        if _name(case) != "Griewank":
            continue
        n = results.settings["switch"]
        sides = Sides("Griewank", "ahead", bo, ea, n)
        claim = f"BO is ahead of the EA after {n} evaluations"
        yield from ranking(claim, [sides], maximised=False)
        last = [max(overhead_per_evaluation(some)[1][-1], LEAST) for some in (bo, ea)]
        power = growth(bo)
        yield Line(
            "BO's overhead grows with n^3, the EA's stays near zero", "Griewank", "n^3",
            f"n^{power:.1f}; {last[0]:.2g} : {last[1]:.2g} s at the end", sides.counted, math.nan,
            NO if power < 2.5 else YES, "the factor is extended, O(n^2)" if power < 2.5 else "",
        )  # fmt: skip


def growth(runs: Sequence[Result]) -> float:
    """Exponent of n in the growth of the overhead per evaluation, fitted to the later part."""
    at, each = overhead_per_evaluation(runs)
    late = at >= min(CUBIC_FROM, at[-1] / 3)
    return float(np.polyfit(np.log(at[late]), np.log(np.maximum(each[late], LEAST)), 1)[0])


def _switches(results: Results) -> Iterator[Line]:
    """Fig. 2: where the EA's gain per second overtakes BO's, with the paper's overhead."""
    for case, bo, ea in results.pairs("bo", "ea", shared=False):
        counted = Sides(_name(case), "", bo, ea).counted
        points = [_overtaken(bo, ea, seconds) for seconds in TIMES]
        words = ", ".join(f"{point:.0f}" if math.isfinite(point) else "never" for point in points)
        yield Line(
            "the EA's gain per second overtakes BO's at 190 to 300 evaluations",
            f"{_name(case)}, 0.1, 1, 10 s", "190 to 300", words, counted, math.nan,
            *within(points, *SWITCH),
        )  # fmt: skip
        later = points[-1] / points[0]
        yield Line(
            "that is 10 to 40 % later with evaluations of 10 s than of 0.1 s", _name(case),
            "110 to 140 %", f"{100 * later:.0f} %" if later > 0 else "-", counted,
            math.nan, *within([later], *LATER),
        )  # fmt: skip


def _overtaken(bo: Sequence[Result], ea: Sequence[Result], seconds: float) -> float:
    """As `switch_point`, with the overhead of the paper's machine; evaluations take `seconds`."""
    n = min(len(bo[0].evaluation), len(ea[0].evaluation))
    gains = []
    for runs in (bo, ea):
        on_paper = [
            replace(r, evaluation=r.evaluation[:n], best=r.best[:n],
                    overhead=r.papers_overhead(0)[:n]) for r in runs
        ]  # fmt: skip
        at, gain = gain_per_second(on_paper, seconds)
        gains.append(gain)
    return switch_point(at, *gains)


def _transfers(results: Results) -> Iterator[Line]:
    """Fig. 3: S1 is worst; S4 is best on Schwefel; S2 to S4 do not differ elsewhere."""
    for other in ("bea-s2", "bea-s3", "bea"):
        yield from ranking(
            f"S1 is worse than {TRANSFERS[other]}",
            _sides(results, other, "bea-s1", "worse", True), maximised=False, shared=True,
        )  # fmt: skip
    for other, p in (("bea-s2", "p < 0.02"), ("bea-s3", "p < 0.04")):
        yield from ranking(
            f"S4 is better than {TRANSFERS[other]} on Schwefel",
            _sides(results, "bea", other, p, True, ("Schwefel",)), maximised=False, shared=True,
        )  # fmt: skip
        yield from ranking(
            f"S4 and {TRANSFERS[other]} do not differ on the others",
            _sides(results, "bea", other, "no difference", True, ("Griewank", "Rastrigin")),
            maximised=False, shared=True, same=True,
        )  # fmt: skip


def _times(results: Results) -> Iterator[Line]:
    """Fig. 4: with evaluations of 0.1 s, BEA's time is about the EA's, and less than BO's."""
    switch, seconds = results.settings["switch"], TIMES[0]
    for other, claim in (
        ("bo", "BEA takes less time than BO, evaluations of 0.1 s"),
        ("ea", "BEA takes about the EA's time, evaluations of 0.1 s"),
    ):
        for case, bea, rest in results.pairs("bea", other, shared=False):
            sides = Sides(_name(case), "", bea, rest)
            measured, on_paper = time_shares(sides, switch, seconds)
            holds = _holds_for_time(other, measured, on_paper)
            yield Line(
                claim, _name(case), "less" if other == "bo" else "similar",
                f"{100 * measured:.0f} %; {100 * on_paper:.0f} % at the paper's cost of BO",
                sides.counted, math.nan, *holds,
            )  # fmt: skip


def _holds_for_time(other: str, measured: float, on_paper: float) -> tuple[str, str]:
    if other == "ea":
        return (YES, "") if max(measured, on_paper) < 1.25 else (NO, "more than 125 %")
    if measured < 1.0 and on_paper < 1.0:
        return YES, "" if measured < 0.5 else "hardly here: this BO is cheap"
    return (OPEN, "at the paper's cost only") if on_paper < 1.0 else (NO, "")
