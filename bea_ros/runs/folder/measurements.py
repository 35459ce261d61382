# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run's log as evaluations: a line is a measurement, and a candidate may have several.

A line without `kind` is the first measurement of a new candidate. A "repetition" counts beside
what was measured of that candidate before, and the fitness is the mean. A "correction" replaces
it: the operator doubts it. A line with `given_up` stands for a measurement that cannot be had.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bea_ros.tasks import worst_of

REPETITION, CORRECTION = "repetition", "correction"
Record = dict[str, Any]


def evaluations_of(lines: Iterable[Mapping[str, Any]]) -> list[Record]:
    """The evaluations of a log, in order.

    An evaluation that was measured once is its line. One that was measured more often has, beside
    the mean `fitness`, the `measurements` that count, what the optimizer was `told`, the `doubted`
    ones, and attempts and times added up. Repetitions that came after a later candidate, to
    confirm the best at the end, count but were not told.
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
    """Every fitness of an evaluation that counts."""
    return list(record.get("measurements", [record["fitness"]]))


def told(record: Mapping[str, Any]) -> float:
    """The fitness that the optimizer was told."""
    values = told_measurements(record)
    return float(values[0] if len(values) == 1 else np.mean(values))  # a mean takes its time


def told_measurements(record: Mapping[str, Any]) -> list[float]:
    """Every fitness of an evaluation that the optimizer was told."""
    return list(record.get("told", [record["fitness"]]))


def measured(records: Iterable[Record]) -> list[Record]:
    """The evaluations that were not given up."""
    return [record for record in records if not record.get("given_up", False)]


def best_of(records: Iterable[Record]) -> Record | None:
    """The best of the evaluations that were measured, if any was."""
    return max(measured(records), key=lambda record: float(record["fitness"]), default=None)


def is_finished(request: Mapping[str, Any], records: Sequence[Record]) -> bool:
    """Whether a run has the evaluations that were asked for, and its best all its repetitions."""
    best, asked = best_of(records), request.get("evaluations", math.inf)
    sure = best is None or len(measurements(best)) > request.get("confirm", 0)
    return sure and len(records) >= asked


def worst_but(records: Iterable[Mapping[str, Any]], number: int) -> float:
    """What evaluation `number` counts that was given up: the worst of the others, 0 at most."""
    return worst_of(r["fitness"] for r in records if r["evaluation"] != number)


def spread(record: Mapping[str, Any]) -> float:
    """Standard deviation of an evaluation's measurements; NaN of a single one."""
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
    record["time"] = {
        **line.get("time", {}),
        **{
            name: earlier.get("time", {})[name] + value
            for name, value in line.get("time", {}).items()
            if name != "at"
        },
    }
    return record
