# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Results of the runs: errors, ranks and runtimes to targets.

The error of a method on a function in a dimension is the mean over its runs of log10(f - f_opt),
at least -8. Ranks and tests use one error for each function and dimension.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon

from bea_ros.studies.bbob.runs import GROUPS, SOLVED, Run, grid, group_of

Array = NDArray[np.float64]

ABOUT = ("n", "overhead", "error")
TARGETS = 10.0 ** np.arange(2.0, -8.1, -0.2)  # of f - f_opt, 51 as in COCO
ALL = "all"


def columns(evaluations: int) -> list[str]:
    """Columns of the table after a run's key; best values have the number of evaluations."""
    return [*ABOUT, *map(str, grid(evaluations))]


def line(outcome: Mapping[str, Any]) -> list[str]:
    """Values of `columns` for a result."""
    return [value if isinstance(value, str) else _number(value) for value in outcome.values()]


def _number(value: float | None) -> str:
    return "nan" if value is None else f"{value:.5g}"


def numbers(table: pd.DataFrame) -> pd.DataFrame:
    """A study's table with text converted to numbers."""
    whole = dict.fromkeys(Run.KEY[1:], int)
    return table.astype(dict.fromkeys(table.columns.drop(["method", "error"]), float) | whole)


def errors(table: pd.DataFrame, methods: Sequence[str], evaluations: int) -> pd.DataFrame:
    """Mean over runs of log10(f - f_opt) after this number of evaluations.

    A row for each function and dimension, a column for each method. Methods with a shorter run are
    left out.
    """
    reached = table[str(evaluations)]
    logs = np.log10(np.maximum(reached, SOLVED))
    cut = set(table["method"][reached.isna()])
    means = logs.groupby([table["function"], table["dimension"], table["method"]]).mean()
    kept = [name for name in methods if name not in cut]
    return means.unstack("method")[kept].dropna()


def of_group(means: pd.DataFrame, group: str) -> pd.DataFrame:
    """The rows of `errors` of a group of functions, or all rows."""
    if group == ALL:
        return means
    numbers = means.index.get_level_values("function")
    return means[[group_of(number) == group for number in numbers]]


def mean_ranks(means: pd.DataFrame) -> pd.Series:
    """Mean rank of each method, 1 is best; equal errors share a rank."""
    return pd.Series(rankdata(means.to_numpy(), axis=1).mean(axis=0), index=means.columns)


def significance(means: pd.DataFrame, ours: str) -> dict[str, float]:
    """p of Wilcoxon's signed-rank test of the errors of `ours` against each other method's."""
    found = {}
    for other in means.columns.drop(ours):
        difference = (means[ours] - means[other]).to_numpy()
        tested = len(difference) > 1 and np.any(difference)
        found[other] = float(wilcoxon(difference).pvalue) if tested else math.nan
    return found


def groups_of(means: pd.DataFrame) -> list[str]:
    """The groups that have functions, and "all" at the end."""
    return [*(name for name in GROUPS if len(of_group(means, name))), ALL]


def runtime_distribution(table: pd.DataFrame, method: str, group: str) -> tuple[Array, Array]:
    """Runtimes in evaluations / d, and the share of (run, target) pairs reached by then.

    As in COCO, a runtime is the number of evaluations to a target, divided by the dimension.
    """
    rows = table[table["method"] == method]
    if group != ALL:
        rows = rows[[group_of(number) == group for number in rows["function"]]]
    at = np.array([int(name) for name in rows.columns if name.isdigit()])
    curves = rows[[str(n) for n in at]].to_numpy(float)
    times = []
    for curve, dimension in zip(curves, rows["dimension"], strict=True):
        reached = np.nan_to_num(curve, nan=math.inf)[:, None] <= TARGETS
        first = np.where(reached.any(axis=0), at[reached.argmax(axis=0)], math.inf)
        times.append(first / dimension)
    sooner = np.sort(np.concatenate(times)) if times else np.empty(0)
    share = np.arange(1, len(sooner) + 1) / max(len(sooner), 1)
    found = np.isfinite(sooner)
    return sooner[found], share[found]
