# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Output of a learner on the terminal."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

COLOURS = {
    "repertoire": "yellow", "initial": "cyan", "bayesian": "blue", "evolutionary": "magenta",
    "local": "green",
}  # fmt: skip
MORE = 2  # times as many evaluations are offered to who wants to go on


class Progress:
    """One line that is updated on a terminal, or else a line per evaluation.

    On a terminal there are colours (unless NO_COLOR is set), and text is wrapped to its width.
    """

    def __init__(self, budget: int, done: int, best: float | None, unit: str) -> None:
        self.budget, self.unit = budget, unit
        self._first = done
        self._told = 0  # evaluations said here; one that is corrected is said again
        self._best = best
        self._began = time.monotonic()
        self._live = sys.stdout.isatty()
        # It only colours. On standard output it would flush that, whose terminal may be gone.
        self._console = Console(
            file=io.StringIO(), force_terminal=self._live or None, highlight=False, soft_wrap=True
        )

    def began(self, robot: str, task: str, folder: Path) -> None:
        """Print the run's settings, and start the clock of the remaining time."""
        self._began = time.monotonic()
        start = f"resumes after {self._first} of" if self._first else "learns in"
        self.note(f"{robot} {start} {self.budget} evaluations: {task}, into {_near(folder)}")

    def evaluated(self, evaluation: int, stage: str, fitness: float, best: float | None) -> None:
        """Print the progress; a star marks a new best."""
        now = time.monotonic()
        spent = (now - self._began) / max(self._told, 1)
        if self._told == 0:
            self._began = now  # the first one takes longer, or in a run with a prior less
        self._told += 1
        left = round(spent * (self.budget - evaluation))
        improved = best is not None and (self._best is None or best > self._best)
        self._best = best
        reached = f"{'-' if best is None else format(best, '.4f'):>7}"
        line = Text.assemble(
            (f"{stage:<12}", COLOURS.get(stage, "")),
            f" {evaluation:>{len(str(self.budget))}}/{self.budget}  fitness {fitness:7.4f}  ",
            (f"best {reached} {self.unit}", "bold green" if improved else ""),
            f"  {_clock(left)} left",
            ("  *" if improved else "", "bold green"),
        )
        if improved or not self._live:
            self._print(line)
        else:
            line.truncate(shutil.get_terminal_size().columns - 1)
            self._write(f"\r\x1b[K{self._coloured(line)}")

    def stood(self, seconds: float) -> None:
        """Leave out a time (s) in which the run waited for the operator from the time left."""
        self._began += seconds

    def note(self, text: str) -> None:
        """Print a note."""
        self._print(Text(self._folded(text)))

    def paused(self, reason: str, service: str, folder: Path, fails: bool) -> None:
        """Print why the run waits, and how to resume; if it `fails` each time, how to skip."""
        text = f"PAUSED, the robot stands still: {reason}. Put it right, then:"
        self._print(Text(self._folded(text), "bold yellow"))
        steps = {"resume": _bea("operator", "resume", folder)}
        if fails:
            steps["it fails each time?"] = _bea("operator", "skip", folder)
        steps["by ROS"] = f"ros2 service call {service} std_srvs/srv/Trigger"
        self._steps(steps)

    def stopped(self, folder: Path, reason: str = "", kept: bool = True) -> None:
        """Print that the run was stopped, and what is saved, if the folder was `kept`."""
        text = f"stopped{': ' * bool(reason)}{reason}."
        if kept:
            text += " What was measured is saved; the same command resumes."
        else:
            text += (
                f" WHAT WAS MEASURED IS LOST: {_near(folder)}, or its logs, were removed, moved "
                "or cut by somebody else; the same command begins again, or resumes what is left"
            )
        self._print(Text(self._folded(text), "bold red" if reason else "bold"))
        if kept and self._best is not None:
            self._steps({"its pictures": _bea("report", folder)})

    def finished(self, folder: Path, report: Path | None, further: Sequence[str] = ()) -> None:
        """Print the result, and the next commands; `further` are the options to learn more."""
        best = "" if self._best is None else f": best {self._best:.4f} {self.unit}"
        self._print(Text(f"finished{best}", "bold green"))
        steps = {"see it": _near(report) if report else _bea("report", folder)}
        if self._best is not None:
            steps["film the best"] = _bea("watch", folder)
            steps["run it again"] = _bea("replay", folder)
            # The command's own folder may hold the trials of another run.
            again = ("--output", folder / "validation")
            steps["how sure is it"] = _bea("validate", folder, *again)
        if further:
            steps["learn more"] = _bea("learn", "--output", folder, *further)
        self._steps(steps)

    def _steps(self, steps: dict[str, str]) -> None:
        """Print commands, one per line and not wrapped, so that they can be copied."""
        wide = max(map(len, steps))
        for name, command in steps.items():
            self._print(Text.assemble((f"  {name:<{wide}}  ", "dim"), (command, "cyan")))

    def _folded(self, text: str) -> str:
        """Wrap a text to the width of the terminal."""
        if not self._live:
            return text
        width = shutil.get_terminal_size().columns
        return textwrap.fill(
            text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )

    def _print(self, line: Text) -> None:
        text = self._coloured(line)
        self._write(f"\r\x1b[K{text}\n" if self._live else f"{text}\n")

    def _coloured(self, line: Text) -> str:
        with self._console.capture() as capture:
            self._console.print(line, end="")
        return capture.get()

    def _write(self, text: str) -> None:
        """Write to the terminal. Learning continues if the terminal is gone."""
        with contextlib.suppress(OSError):
            sys.stdout.write(text)
            sys.stdout.flush()


def _near(path: Path) -> str:
    """The path as a user would type it here."""
    try:
        relative = os.path.relpath(path)
    except FileNotFoundError:  # the working directory was removed
        return str(path)
    return str(path) if relative.startswith("..") else relative


def _bea(*words: str | Path) -> str:
    """The bea command with these words, as a user would type it here."""
    beside = Path(sys.executable).with_name("bea")
    command = beside if beside.exists() and not shutil.which("bea") else "bea"
    typed = [_near(word) if isinstance(word, Path) else word for word in (command, *words)]
    return shlex.join(typed)


def _clock(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
