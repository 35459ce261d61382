# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Holds the files of a run against each other.

A trajectory comes to disk before its measurement, best.yaml after it. So trajectories are in the
order of the log, at most one is of a measurement that never came there, and the best is one that
did. Those of some measurements may be missing: format 1 had none, and a disk may tear the last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bea_ros.runs.log import Log, Record


@dataclass(frozen=True)
class Trajectories:
    """How trajectories fit a log: how many of the first do, and what is wrong with the next.

    `missing` are the evaluations of measurements that have none.
    """

    kept: int
    wrong: str
    missing: list[int]


def fit(log: Log, paths: Log) -> Trajectories:
    """Whose trajectories these are, both logs being undamaged."""
    logged, stored = log.numbers, paths.numbers
    at = kept = 0
    for number in stored:
        try:
            at = logged.index(number, at) + 1
        except ValueError:
            break
        kept += 1
    missing = list((Counter(logged) - Counter(stored[:kept])).elements())
    latest = max(logged, default=0)
    wrong = ""
    if kept < len(stored):
        number, after = stored[kept], len(stored) - kept + (paths.torn > 0)
        again = number <= latest and at == len(logged) and number not in missing
        if after > 1 or not (again or number == latest + 1):
            wrong = f"its evaluation {number} is not at that place of the log"
            if at == len(logged):
                wrong = f"its evaluation {number} is not in the log, which ends with {latest}"
    return Trajectories(kept, wrong, missing)


def wrong_best(best: Mapping[str, Any], evaluations: Sequence[Record]) -> str:
    """What is wrong with a best candidate that is not one of the log's; empty: nothing."""
    number = best["evaluation"]
    found = next((r for r in evaluations if r["evaluation"] == number), None)
    if found is None:
        return f"it is of evaluation {number}, which the log does not have"
    if dict(zip(best["names"], best["values"], strict=True)) != found["parameters"]:
        return f"its values are not those of evaluation {number} in the log"
    return ""
