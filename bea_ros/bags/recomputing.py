# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Recomputes every fitness of a recorded run from the recorded poses."""

from __future__ import annotations

import contextlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from operator import attrgetter
from pathlib import Path
from typing import Any

from bea_ros.bags.reading import Attempt, BagError, Content, Told, is_cut, read_bag
from bea_ros.localization.arena import Arena
from bea_ros.localization.referee import Referee
from bea_ros.localization.window import Sighting, Untrusted
from bea_ros.runs.folder.head import RunFolderError, read_head, read_request
from bea_ros.runs.folder.measurements import (
    CORRECTION,
    REPETITION,
    Record,
    evaluations_of,
    worst_but,
)
from bea_ros.runs.folder.run_folder import read_measurements
from bea_ros.system.nanoseconds import SECOND
from bea_ros.system.resources import resource_path
from bea_ros.tasks import Task, Trajectory, find_task


@dataclass(frozen=True)
class Comparison:
    """A fitness that the learner published after a measurement, and the one `computed` again.

    If a candidate was measured several times, both are means. If the recorded poses are not a
    valid measurement, `computed` is None and `problem` says why.
    """

    evaluation: int
    logged: float
    computed: float | None
    problem: str = ""

    @property
    def equal(self) -> bool:
        """Whether both numbers are equal to the last bit."""
        return self.computed == self.logged


@dataclass(frozen=True)
class Recording:
    """A recorded learning run, with evaluations as in a run's log."""

    path: Path
    robot: str
    task: Task
    duration: float  # s
    comparisons: list[Comparison]
    evaluations: list[Record]
    trajectories: dict[int, Trajectory]
    cut_off: bool = False  # the recorder did not finish it
    defaults: bool = False  # it has no parameters of camera_localization


def read_recording(path: Path, namespace: str | None = None) -> Recording:
    """Recompute every fitness in a bag.

    `namespace` chooses one of several robots. The settings of the measurement come from the
    recorded parameters, and what these lack from the run's folder that has the bag. The arena is
    that folder's copy, as its file may be on another computer. Raises BagError.
    """
    content = read_bag(path, namespace)
    robot, task = content.told[-1].robot, find_task(content.told[-1].task)
    localization = content.parameters["camera_localization"]
    folder = path.absolute().parent
    duration = content.parameters["learner"].get("duration")
    if duration is None:
        duration = (read_request(folder) or {}).get("duration")
    duration = duration or task.duration
    head, log = _run_in(folder)
    copied = head.get("files", {}).get("arena")
    if isinstance(copied, dict) and "width" in copied:  # of a large file there is only a hash
        arena = Arena.from_dict(copied)
    else:
        arena = Arena.load(localization.get("arena") or resource_path("config/arena.yaml"))
    cut = is_cut(path)
    run = _Recomputation(content, Referee(localization, arena), task, duration, cut, log)
    if not run.comparisons:
        raise BagError(f"{path} has no evaluation that was finished")
    comparisons = sorted(run.comparisons, key=lambda one: one.evaluation)
    records = [r for r in evaluations_of(run.lines) if r["evaluation"] in run.trajectories]
    return Recording(
        path.absolute(),
        robot,
        task,
        duration,
        comparisons,
        records,
        run.trajectories,
        cut,
        defaults=not localization,
    )


class _Recomputation:
    """Processes the attempts of a recording in the learner's order.

    If the recording was `cut` off, its last attempt may have the learner's status and lack the
    last poses; then it does not count. Measurements before the recording began, as of a resumed
    run, come from the run's `log`.
    """

    def __init__(
        self,
        content: Content,
        referee: Referee,
        task: Task,
        duration: float,
        cut: bool,
        log: Sequence[Record],
    ) -> None:
        self.referee, self.task, self.duration = referee, task, duration
        self.in_flight = content.attempts[-1] if cut and content.attempts else None
        self.comparisons: list[Comparison] = []
        began = content.attempts[0].evaluation if content.attempts else 0
        self.lines = list(takewhile(lambda line: line["evaluation"] != began, log))
        self.begun = [line for line in log if line["evaluation"] == began]
        self.trajectories: dict[int, Trajectory] = {}
        tries = 0
        for attempt, before, after in _between(content):
            tries += 1
            if after is not None and (before is None or _news(before) != _news(after)):
                self.measure(attempt, before or after, after, tries)
                tries = 0
        first = (
            content.told[0].done or min((a.evaluation for a in content.attempts), default=1) - 1
        )
        known = {comparison.evaluation for comparison in self.comparisons}
        if self.in_flight:
            known.add(self.in_flight.evaluation)
        if cut:  # on a busy machine the status may be recorded before the attempt
            known.add(content.told[-1].done)
        for number in set(range(first + 1, content.told[-1].done + 1)) - known:
            logged = next(told.fitness for told in content.told if told.done >= number)
            problem = "its start was not recorded"
            self.comparisons.append(Comparison(number, logged, None, problem))

    def measure(self, attempt: Attempt, before: Told, after: Told, tries: int) -> None:
        """Recompute an attempt that the learner accepted as a measurement."""
        number = attempt.evaluation
        line = {
            "evaluation": number,
            "stage": before.stage or after.stage,  # the first may be recorded late
            "parameters": attempt.parameters,
            "attempts": tries,
            "time": self.time_since(
                {"overhead": after.overhead, "evaluation": after.took}, number
            ),
        }
        worst = worst_but(evaluations_of(self.lines), number)
        try:
            fitness, window = self.referee.measure(  # the learner judged its suspicion
                self.task, self.seen(attempt), attempt.start, self.duration
            )
            trajectory = window.trajectory
            line |= {"fitness": fitness.value, "terms": fitness.terms}
            if self.begun and number == self.begun[0]["evaluation"]:
                logged = [earlier["fitness"] for earlier in self.begun]
                if fitness.value in logged:
                    self.lines += self.begun[: logged.index(fitness.value)]
                self.begun = []
            line |= self.kind(line, after.fitness)
            given_up = self.mean(line) != after.fitness == worst
        except (Untrusted, ValueError) as why:  # as the localization's service
            if attempt is self.in_flight:
                return
            given_up = after.fitness == worst
            if not given_up:
                self.comparisons.append(Comparison(number, after.fitness, None, str(why)))
                return
        if given_up:
            line |= {"fitness": worst, "terms": {}, "given_up": True}
            line |= {"kind": CORRECTION} if number in self.trajectories else {}
            trajectory = Trajectory.standing(self.duration)
        self.lines.append(line)
        self.trajectories[number] = trajectory
        computed = self.mean(line)
        self.comparisons.append(Comparison(number, after.fitness, computed))

    def seen(self, attempt: Attempt) -> list[Sighting]:
        """The sightings in and near the attempt's time window."""
        gap = round(self.referee.trust.gap * SECOND) + 1
        end = attempt.start + round(self.duration * SECOND)
        stamp = attrgetter("stamp")
        first = bisect_left(attempt.sightings, attempt.start - gap, key=stamp)
        last = bisect_left(attempt.sightings, end + gap, key=stamp)
        return attempt.sightings[first:last]

    def time_since(self, whole: Record, number: int) -> Record:
        """A candidate's times (s) by name without those of its earlier measurements."""
        earlier = [line["time"] for line in self.lines if line["evaluation"] == number]
        return {
            name: max(time - sum(one[name] for one in earlier), 0.0)
            for name, time in whole.items()
        }

    def kind(self, line: Record, told: float) -> dict[str, Any]:
        """Whether a further measurement of a candidate was added to the others or replaced them.
        The recording does not say, so the learner's fitness decides."""
        if line["evaluation"] not in {known["evaluation"] for known in self.lines}:
            return {}
        added, alone = {"kind": REPETITION}, {"kind": CORRECTION}
        corrected = self.mean({**line, **added}) != told == self.mean({**line, **alone})
        return alone if corrected else added

    def mean(self, line: Record) -> float:
        """The candidate's fitness including this measurement."""
        lines = [*self.lines, line] if line not in self.lines else self.lines
        records = {record["evaluation"]: record for record in evaluations_of(lines)}
        return float(records[line["evaluation"]]["fitness"])


def _run_in(folder: Path) -> tuple[dict[str, Any], list[Record]]:
    """run.yaml and log of the run in a folder; each is empty if it is not there or damaged."""
    head: dict[str, Any] = {}
    log: list[Record] = []
    with contextlib.suppress(RunFolderError):
        head = read_head(folder) or {}
        log = read_measurements(folder) if head else []
    return head, log


def _between(content: Content) -> Iterator[tuple[Attempt, Told | None, Told | None]]:
    """Each attempt, with the learner's last status up to its start and up to the next one's."""
    stamps = [told.stamp for told in content.told]

    def last_until(stamp: int) -> Told | None:
        return content.told[i - 1] if (i := bisect_right(stamps, stamp)) else None

    for number, attempt in enumerate(content.attempts):
        following = content.attempts[number + 1 : number + 2]
        after = last_until(following[0].start) if following else content.told[-1]
        yield attempt, last_until(attempt.start), after


def _news(told: Told) -> tuple[str, ...]:
    """The fields of a status that a measurement changes, as text, so that NaN equals NaN."""
    return (repr(told.fitness), repr(told.took))
