# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Consistency checks between the files of a run.

A trajectory is written before its measurement, and best.yaml after it. So trajectories are in the
order of the log, at most one has no measurement, and the best candidate is in the log.
Trajectories may be missing: format 1 had none, and a power cut may damage the last one. Each
fitness must agree with its trajectory, if that is stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bea_ros.runs.folder.log import Log, Record
from bea_ros.runs.folder.records import disagreement, trajectory_of_record
from bea_ros.tasks import TaskError, check_duration, find_task


@dataclass(frozen=True)
class Trajectories:
    """Result of matching trajectories to a log.

    `of` has the index in the log of each matching trajectory. `wrong` says what is wrong with the
    next one. `missing` has the evaluations of measurements without a trajectory.
    """

    of: list[int]
    wrong: str
    missing: list[int]

    def pairs(self, log: Log, paths: Log) -> list[tuple[Record, Record]]:
        """Pairs of measurement and trajectory, of evaluations without a missing trajectory."""
        found = zip((log.records[at] for at in self.of), paths.records, strict=False)
        return [pair for pair in found if pair[0]["evaluation"] not in self.missing]

    @property
    def kept(self) -> int:
        """Number of matching trajectories."""
        return len(self.of)


def fit(log: Log, paths: Log) -> Trajectories:
    """Match trajectories to measurements; both logs must be undamaged."""
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
    """Yield measurements that do not agree with their trajectories, and the reasons.

    Those of a run in several worlds (`physics`) are not checked: each trajectory is of one world.
    """
    if request.get("physics"):
        return
    try:
        task = find_task(str(request.get("task")))
        duration = check_duration(request.get("duration") or task.duration)
    except (TaskError, TypeError):  # a task that this installation does not have
        return
    for line, path in pairs:
        trajectory = trajectory_of_record(path)
        wrong = disagreement(line, trajectory, task, duration)
        if wrong and not line.get("given_up"):
            yield line, wrong


def wrong_lines(
    fitting: Trajectories, log: Log, paths: Log, request: Mapping[str, Any]
) -> Iterator[str]:
    """Yield each line of the log that does not agree with its trajectory, and the reason."""
    places = {id(line): place for place, line in enumerate(log.records, 1)}
    for line, wrong in wrong_fitness(fitting.pairs(log, paths), request):
        yield f"line {places[id(line)]}: {wrong}"


def wrong_best(best: Mapping[str, Any], evaluations: Sequence[Record]) -> str:
    """Say why a best candidate is not in the log; empty if it is."""
    number = best["evaluation"]
    found = next((r for r in evaluations if r["evaluation"] == number), None)
    if found is None:
        return f"it is of evaluation {number}, which the log does not have"
    if dict(zip(best["names"], best["values"], strict=True)) != found["parameters"]:
        return f"its values are not those of evaluation {number} in the log"
    return ""
