# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The functions, from the package ioh, and one run of one method on one of them.

The suite is that of Hansen, Finck, Ros and Auger, "Real-Parameter Black-Box Optimization
Benchmarking 2009: Noiseless Functions Definitions": f on [-5, 5]^d, minimised.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bea_ros.studies.engine import plan
from bea_ros.studies.optimizers.measure import CUT, Recorder, within
from bea_ros.studies.optimizers.methods import minimise

GROUPS = {
    "separable": range(1, 6),
    "moderate": range(6, 10),
    "ill-conditioned": range(10, 15),
    "multimodal": range(15, 20),
    "weakly structured": range(20, 25),
}
FUNCTIONS = range(1, 25)
ALL = "all"
MEMBERS = {**GROUPS, ALL: FUNCTIONS}  # of each group that tables and pictures show
HALF_WIDTH = 5.0  # of the domain
SOLVED = 1e-8  # f - f_opt at which a function counts as solved, as in COCO
MARKS = (50, 150, 300, 500, 1000, 1500)  # evaluations that tables show
PER_DECADE = 20  # points of a run's curve per decade of evaluations


def select(words: Iterable[str]) -> list[int]:
    """Sorted numbers of functions from words: a number, a group, or odd, even or all.

    Raises ValueError for any other word.
    """
    named: dict[str, Sequence[int]] = {
        "odd": FUNCTIONS[::2], "even": FUNCTIONS[1::2], **MEMBERS,
    }  # fmt: skip
    named |= {name.split()[0]: numbers for name, numbers in GROUPS.items()}
    named |= {str(number): [number] for number in FUNCTIONS}
    found: set[int] = set()
    for word in words:
        if word not in named:
            allowed = "1 to 24, odd, even, all, or a group: " + ", ".join(GROUPS)
            raise ValueError(f"unknown function '{word}', only {allowed}")
        found.update(named[word])
    return sorted(found)


def grid(evaluations: int) -> list[int]:
    """Evaluations at which a run's curve is stored."""
    count = 1 + round(PER_DECADE * np.log10(evaluations))
    even = np.rint(np.geomspace(1, evaluations, count)).astype(int).tolist()
    return sorted({*even, *plan.marks_within(MARKS, evaluations)})


@dataclass(frozen=True)
class Run(plan.Run):
    """A run; `limit` is in CPU s.

    With an `evaluation_time` (s) overhead counts: the run has the time that `evaluations` take
    alone.
    """

    KEY: ClassVar = ("method", "function", "dimension", "instance", "seed")

    method: str
    function: int
    dimension: int
    instance: int
    seed: int
    evaluations: int
    limit: float
    evaluation_time: float | None = None

    @property
    def name(self) -> str:
        """Name of the run's file."""
        where = f"f{self.function}-d{self.dimension}-i{self.instance}"
        return f"{where}-{self.method}-{self.seed}"

    @property
    def head(self) -> dict[str, Any]:
        """The fields that identify the run in its file; its time limit may change."""
        head = {**asdict(self), "limit": None}
        if self.evaluation_time is None:  # files of earlier versions lack it
            del head["evaluation_time"]
        return head

    @property
    def draws(self) -> int:
        """Seed of the method's random draws."""
        return 1000 * self.instance + self.seed


def objective(run: Run) -> Callable[[ArrayLike], float]:
    """The function f_opt - f of a point in [0, 1]^d: a fitness, 0 at the optimum."""
    import ioh

    problem = ioh.get_problem(run.function, run.instance, run.dimension, ioh.ProblemClass.BBOB)
    optimum = problem.optimum.y
    return lambda x: optimum - problem((2.0 * np.asarray(x) - 1.0) * HALF_WIDTH)


def carry_out(run: Run) -> dict[str, Any]:
    """Carry out a run until its end, time limit or error.

    Returns its evaluations `n`, overhead (CPU s) and error, and the best f - f_opt after each
    number of evaluations of the `grid`, or after the time that they take alone.
    """
    recorder = Recorder(objective(run), run.evaluations, run.evaluation_time or math.inf)
    size = run.dimension, run.evaluations

    def search() -> None:
        minimise(run.method, recorder, *size, run.draws, evaluation_time=run.evaluation_time)

    error = within(run.limit, search)
    n = len(recorder.f)
    if not error and not recorder.ended:
        error = f"{CUT} {run.limit:g} s"
    best = np.minimum.accumulate([math.inf, *recorder.f]).tolist()
    at_grid = np.searchsorted(recorder.ends, grid(run.evaluations), side="right")
    # None after the end of a run that was cut.
    curve = {
        str(at): None if error and count == n < at else best[count]
        for at, count in zip(grid(run.evaluations), at_grid.tolist(), strict=True)
    }
    return {"n": n, "overhead": sum(recorder.overhead[1:]), "error": error, **curve}
