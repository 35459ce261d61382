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

# number, stage, fitness, s in the optimizer, s on the robot, gain per second, whether given up
Row = list[Any]


class History:
    """`rows`: a Row an evaluation; another list each time that something is new.

    Without a folder they are what the learner says, from when it is listened to.
    """

    def __init__(self, folder: Path | None) -> None:
        self.log = folder / LOG if folder else None
        self.rows: list[Row] = []
        self._lines: list[Record] = []
        self._read = 0  # bytes

    def read(self) -> None:
        """Take what the log has by now; a line that is not whole yet is left for later."""
        if self.log is None:
            return
        try:
            size = self.log.stat().st_size
            if size < self._read:  # it was cut off
                self._lines, self._read = [], 0
            if size == self._read:
                return
            with open_regular(self.log) as file:
                file.seek(self._read)
                content = file.read(LARGEST)
        except OSError:  # not there yet, or no longer
            return
        whole = content[: content.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines(keepends=True):
            try:
                self._lines.append(record_of(line, checksums=True)[0])
            except ValueError:  # the learner and `bea doctor` tell of damage
                continue
        self.take(evaluations_of(self._lines))

    def take(self, records: list[Record]) -> None:
        """Make rows of evaluations; raises nothing for a record that lacks something."""
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
        """The learner says how its last evaluation was; only where there is no log to read."""
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
        """Time (s) that the rest of a budget takes, by the last evaluations; None before any."""
        if not self.rows:
            return None
        spent = [row[3] + row[4] for row in self.rows[-WINDOW:]]
        return max(budget - self.rows[-1][0], 0) * sum(spent) / len(spent)
