# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Evaluations of a run from its log: a line is a measurement, and a candidate may have several.

A line without `kind` is the first measurement of a new candidate. A "repetition" is a further
measurement, and the fitness is the mean. A "correction" replaces all earlier measurements of the
candidate, as the operator doubts them. A line with `given_up` marks a candidate that was skipped
or could not be measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bea_ros.runs.folder.log import Record
from bea_ros.tasks import worst_of

REPETITION, CORRECTION = "repetition", "correction"
COMPUTED = {"measurements", "told", "doubted"}  # of an evaluation, never in a line
LOST = 0.2  # share of its fitness that a gait has to lose before the robot learns anew


def evaluations_of(lines: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Return the evaluations of a log, in order.

    An evaluation with one measurement is its line. With several measurements it has the mean
    `fitness`, the valid `measurements`, those that the optimizer was `told`, the `doubted` ones,
    and the sums of attempts and times. Repetitions of the best at the end of a run are valid, but
    the optimizer was not told them.
    """
    found: dict[int, Record] = {}
    for line in lines:
        number = line["evaluation"]
        if number in found:
            found[number] = _together(found[number], line, last=number == next(reversed(found)))
        else:
            found[number] = dict(line)
    return list(found.values())


def measurements(record: Mapping[str, Any]) -> list[float]:
    """Return the valid fitness values of an evaluation."""
    return list(record.get("measurements", [record["fitness"]]))


def told(record: Mapping[str, Any]) -> float:
    """Return the fitness that the optimizer was told."""
    values = told_measurements(record)
    return float(values[0] if len(values) == 1 else np.mean(values))  # np.mean is slow


def told_measurements(record: Mapping[str, Any]) -> list[float]:
    """Return the fitness values of an evaluation that the optimizer was told."""
    return list(record.get("told", [record["fitness"]]))


def measured(records: Iterable[Record]) -> list[Record]:
    """Return the evaluations that have a measurement."""
    return [record for record in records if not record.get("given_up", False)]


def best_of(records: Iterable[Record]) -> Record | None:
    """Return the best evaluation that has a measurement, or None."""
    return max(measured(records), key=lambda record: float(record["fitness"]), default=None)


def is_unchanged(record: Record, before: float) -> bool:
    """Whether a gait that had the fitness `before` has lost so little that nothing is learned."""
    return bool(measured([record]) and record["fitness"] >= before - LOST * abs(before))


def is_finished(request: Mapping[str, Any], records: Sequence[Record]) -> bool:
    """Whether a run has all its evaluations, and its best candidate all its repetitions.

    An adaptation needs no more evaluations if the gait that it measured first is unchanged.
    """
    best, asked = best_of(records), request.get("evaluations", math.inf)
    before = request.get("before")
    if records and before is not None and is_unchanged(records[0], before):
        asked = 1
    sure = best is None or len(measurements(best)) > request.get("confirm", 0)
    return sure and len(records) >= asked


def worst_but(records: Iterable[Mapping[str, Any]], number: int) -> float:
    """Return the fitness of a skipped evaluation: the worst of the other ones, at most 0."""
    return worst_of(r["fitness"] for r in records if r["evaluation"] != number)


def spread(record: Mapping[str, Any]) -> float:
    """Return the standard deviation of an evaluation's measurements; NaN for one measurement."""
    values = measurements(record)
    return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")


def _together(earlier: Mapping[str, Any], line: Mapping[str, Any], last: bool) -> Record:
    values, doubted = measurements(earlier), list(earlier.get("doubted", []))
    if line.get("kind") == CORRECTION:
        values, doubted = [], doubted + values
    values = [*values, line["fitness"]]
    record = {**line, "fitness": float(np.mean(values)), "measurements": values}
    if "predicted" in earlier:
        record["predicted"] = earlier["predicted"]
    record["told"] = values if last else told_measurements(earlier)
    record["doubted"] = doubted
    record["attempts"] = earlier.get("attempts", 1) + line.get("attempts", 1)
    before, now = earlier.get("time", {}), line.get("time", {})
    sums = {
        name: before.get(name, 0) + now.get(name, 0) for name in {**before, **now} if name != "at"
    }
    record["time"] = {**before, **now, **sums}
    return record
