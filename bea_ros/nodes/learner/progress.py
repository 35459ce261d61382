# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a learner says on the terminal."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
import time
from pathlib import Path


class Progress:
    """One line that is kept up to date on a terminal, and a line per evaluation elsewhere."""

    def __init__(self, budget: int, done: int, best: float | None, unit: str) -> None:
        self.budget, self.unit = budget, unit
        self._first = done
        self._told = 0  # evaluations said here; one that is corrected is said again
        self._best = best
        self._began = time.monotonic()
        self._live = sys.stdout.isatty()

    def began(self, robot: str, task: str, folder: Path) -> None:
        """Say what this run is; the time left counts from now."""
        self._began = time.monotonic()
        start = f"goes on after {self._first} of" if self._first else "learns in"
        self._print(f"{robot} {start} {self.budget} evaluations: {task}, into {_near(folder)}")

    def evaluated(self, evaluation: int, stage: str, fitness: float, best: float | None) -> None:
        """Say how far it is; a star marks a new best."""
        self._told += 1
        spent = (time.monotonic() - self._began) / self._told
        left = round(spent * (self.budget - evaluation))
        reached = f"{'-' if best is None else format(best, '.4f'):>8}"
        line = (
            f"{stage:<12} {evaluation:>{len(str(self.budget))}}/{self.budget}  "
            f"fitness {fitness:8.4f}  best {reached} {self.unit}  "
            f"{60 / spent:4.0f}/min  {_clock(left)} left"
        )
        improved = best is not None and (self._best is None or best > self._best)
        self._best = best
        if improved or not self._live:
            self._print(line + ("  *" if improved else ""))
        else:
            self._write(f"\r\x1b[K{line}")

    def note(self, text: str) -> None:
        self._print(text)

    def paused(self, reason: str, service: str, folder: Path, fails: bool) -> None:
        """Say what the operator is waited for, and how to go on; without one that `fails`, too."""
        skip = f"; it fails each time? {_bea('operator', 'skip', folder)}" if fails else ""
        self._print(
            f"PAUSED, the robot stands still: {reason}. Put it right, then: "
            f"{_bea('operator', 'resume', folder)} (or: ros2 service call {service} "
            "std_srvs/srv/Trigger)" + skip
        )

    def stopped(self, folder: Path, reason: str = "") -> None:
        """Say that the run ends before its time, and what there is of it."""
        look = "" if self._best is None else f" Its pictures: {_bea('report', folder)}"
        self._print(
            f"stopped{': ' * bool(reason)}{reason}. What was measured is saved; the same command "
            f"resumes.{look}"
        )

    def finished(self, folder: Path, report: Path | None) -> None:
        """Say what came out, and what can be done with it."""
        best = f"best {self._best:.4f} {self.unit}. " if self._best is not None else ""
        see = f"See {_near(report)}. " if report else ""
        self._print(f"finished: {best}{see}Run the best again: {_bea('replay', folder)}")

    def _print(self, text: str) -> None:
        self._write(f"\r\x1b[K{text}\n" if self._live else f"{text}\n")

    def _write(self, text: str) -> None:
        """A terminal that is gone, or a full disk behind it, is no reason to stop learning."""
        with contextlib.suppress(OSError):
            sys.stdout.write(text)
            sys.stdout.flush()


def _near(path: Path) -> str:
    """The path as one would type it here."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def _bea(*words: str | Path) -> str:
    """The command with these words, as one would type it here."""
    beside = Path(sys.executable).with_name("bea")
    command = beside if beside.exists() and not shutil.which("bea") else "bea"
    typed = [_near(word) if isinstance(word, Path) else word for word in (command, *words)]
    return shlex.join(typed)


def _clock(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
