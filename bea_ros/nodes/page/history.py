# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The evaluations of a run, read from its log while it grows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bea_ros_interfaces.msg import LearnerStatus

from bea_ros.optimizers.time_efficiency import WINDOW
from bea_ros.runs.efficiency import gains_per_second
from bea_ros.runs.folder.log import record_of
from bea_ros.runs.folder.measurements import Record, evaluations_of
from bea_ros.runs.folder.run_folder import LOG
from bea_ros.system.files import LARGEST, open_regular

# number, stage, fitness, optimizer time (s), robot time (s), gain per second, given up or not
Row = list[Any]


class History:
    """Holds `rows`, one Row for each evaluation; every change replaces the list.

    Without a run folder, the rows come from `learner/status` and begin with the page's start.
    """

    def __init__(self, folder: Path | None) -> None:
        self.log = folder / LOG if folder else None
        self.rows: list[Row] = []
        self._lines: list[Record] = []
        self._read = 0  # bytes

    def read(self) -> None:
        """Read the new lines of the log; an incomplete last line is read the next time."""
        if self.log is None:
            return
        try:
            size = self.log.stat().st_size
            if size < self._read:  # the log was truncated
                self._lines, self._read = [], 0
            if size == self._read:
                return
            with open_regular(self.log) as file:
                file.seek(self._read)
                content = file.read(LARGEST)
        except OSError:  # the log does not exist yet, or no longer
            return
        whole = content[: content.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines(keepends=True):
            try:
                self._lines.append(record_of(line, checksums=True)[0])
            except ValueError:  # the learner and `bea doctor` report damage
                continue
        self.take(evaluations_of(self._lines))

    def take(self, records: list[Record]) -> None:
        """Turn records into rows; records without fitness, stage or time are skipped."""
        known = [r for r in records if {"fitness", "stage", "time"} <= r.keys()]
        gains = gains_per_second(known)
        self.rows = [
            [
                record["evaluation"],
                record["stage"],
                record["fitness"],
                record["time"]["overhead"],
                record["time"]["evaluation"],
                gain,
                bool(record.get("given_up", False)),
            ]
            for record, gain in zip(known, gains, strict=True)
        ]

    def heard(self, status: LearnerStatus) -> None:
        """Add the last evaluation of a status; used only if there is no log to read."""
        number = status.evaluation
        if self.log is not None or number < 1 or (self.rows and self.rows[-1][0] >= number):
            return
        time = {"overhead": status.overhead_time, "evaluation": status.evaluation_time}
        self._lines.append(
            {
                "evaluation": number,
                "stage": status.stage,
                "fitness": status.fitness,
                "time": time,
            }
        )
        self.take(self._lines)

    def left(self, budget: int) -> float | None:
        """Estimate the time (s) for the rest of a budget; None before the first evaluation."""
        if not self.rows:
            return None
        spent = [row[3] + row[4] for row in self.rows[-WINDOW:]]
        return max(budget - self.rows[-1][0], 0) * sum(spent) / len(spent)
