# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A command's ties to whoever started it: its streams, which may be closed, and Ctrl-C, which may
come before anything has begun or when all is done. Neither makes a traceback.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

INTERRUPTED, UNREAD = 130, 141  # exit codes, as a shell has them for SIGINT and SIGPIPE
OUTPUT_ERROR = 1


def printable(text: str) -> str:
    """What somebody else wrote, without what would change a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def first_few(lines: Sequence[str], most: int = 8) -> list[str]:
    """The first lines of what may be hundreds alike, and how many more there are."""
    if len(lines) <= most + 1:
        return list(lines)
    return [*lines[:most], f"... and {len(lines) - most} more like these"]


def plain_console(uncut: bool = False) -> Console:
    """A console on which nobody's words are markup; with `uncut`, a line
    is not cut where a program reads.
    """
    from rich.console import Console

    width = 200 if uncut and not sys.stdout.isatty() else None
    return Console(width=width, markup=False, emoji=False)


def open_streams() -> None:
    """Have closed streams (`>&-`) lead nowhere; else the next file opened would be one of them."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


class Output:
    """Standard output of a command, which somebody else may close."""

    def __init__(self) -> None:
        self._kept: int | None = None
        with contextlib.suppress(OSError, ValueError):  # a test's is no file
            self._kept = os.dup(sys.stdout.fileno())

    def unread(self) -> bool:
        """Whether it is a pipe that nobody reads any more."""
        if self._kept is None:
            return False
        looker = select.poll()
        looker.register(self._kept, 0)  # POLLERR is always told
        return any(event & select.POLLERR for _, event in looker.poll(0))

    def end(self, code: int) -> int:
        """Say what is left to be said; returns the exit code."""
        try:
            sys.stdout.flush()
        except OSError as error:
            self.discard()
            if self.unread():
                return UNREAD
            with contextlib.suppress(OSError):
                print(f"bea: standard output: {error.strerror}", file=sys.stderr)
            return code or OUTPUT_ERROR
        return code

    def discard(self) -> None:
        """Have what was not written go nowhere, also what Python itself writes at its end."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        with contextlib.suppress(OSError, ValueError):
            os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)

    def close(self) -> None:
        """Let go of it."""
        if self._kept is not None:
            os.close(self._kept)


class Interrupts:
    """What Ctrl-C does to a process that is all ours, until its last line."""

    def __init__(self) -> None:
        """Nothing has begun that would have to be ended: what __main__ says holds."""
        self.came = False

    def begin(self) -> None:
        """From now on a KeyboardInterrupt goes through what the command does."""
        signal.signal(signal.SIGINT, self._interrupt)
        told = sys.unraisablehook

        def unraisable(what: Any) -> None:
            """Of one that Python would only print, as in a callback."""
            if isinstance(what.exc_value, KeyboardInterrupt):
                os._exit(INTERRUPTED)
            told(what)

        sys.unraisablehook = unraisable

    def end(self, code: int) -> None:
        """All is done; the interpreter itself may take its time to end."""
        signal.signal(signal.SIGINT, _leave(code))

    def _interrupt(self, number: int, frame: Any) -> None:
        self.came = True
        raise KeyboardInterrupt


def _leave(code: int) -> Callable[[int, Any], None]:
    return lambda number, frame: os._exit(code)
