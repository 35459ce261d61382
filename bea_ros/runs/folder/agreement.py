# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Holds the files of a run against each other.

A trajectory comes to disk before its measurement, best.yaml after it. So trajectories are in the
order of the log, at most one is of a measurement that never came there, and the best is one that
did. Those of some measurements may be missing: format 1 had none, and a disk may tear the last.
Each fitness is that of its trajectory, as far as trajectories are stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bea_ros.runs.folder.log import Log, Record
from bea_ros.runs.folder.records import disagreement, trajectory_of
from bea_ros.tasks import TaskError, check_duration, find_task


@dataclass(frozen=True)
class Trajectories:
    """How trajectories fit a log: how many of the first do, and what is wrong with the next.

    `of` are the places in the log of those that do, `missing` the evaluations of measurements that
    have none.
    """

    of: list[int]
    wrong: str
    missing: list[int]

    def pairs(self, log: Log, paths: Log) -> list[tuple[Record, Record]]:
        """Measurements and their trajectories, where none of the evaluation's is missing."""
        found = zip((log.records[at] for at in self.of), paths.records, strict=False)
        return [pair for pair in found if pair[0]["evaluation"] not in self.missing]

    @property
    def kept(self) -> int:
        """How many do."""
        return len(self.of)


def fit(log: Log, paths: Log) -> Trajectories:
    """Whose trajectories these are, both logs being undamaged."""
    logged, stored = log.numbers, paths.numbers
    at, of = 0, []
    for number in stored:
        try:
            at = logged.index(number, at) + 1
        except ValueError:
            break
        of.append(at - 1)
    kept = len(of)
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
    return Trajectories(of, wrong, missing)


def wrong_fitness(
    pairs: Iterable[tuple[Record, Record]], request: Mapping[str, Any]
) -> Iterator[tuple[Record, str]]:
    """Measurements, paired with trajectories, that are not what those come to, and why."""
    try:
        task = find_task(str(request.get("task")))
        duration = check_duration(request.get("duration") or task.duration)
    except (TaskError, TypeError):  # of somebody who measures something else
        return
    for line, path in pairs:
        trajectory = trajectory_of(path)
        wrong = disagreement(line, trajectory, task, duration)
        if wrong and not line.get("given_up"):
            yield line, wrong


def wrong_best(best: Mapping[str, Any], evaluations: Sequence[Record]) -> str:
    """What is wrong with a best candidate that is not one of the log's; empty: nothing."""
    number = best["evaluation"]
    found = next((r for r in evaluations if r["evaluation"] == number), None)
    if found is None:
        return f"it is of evaluation {number}, which the log does not have"
    if dict(zip(best["names"], best["values"], strict=True)) != found["parameters"]:
        return f"its values are not those of evaluation {number} in the log"
    return ""
