# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Standard streams and Ctrl-C of a command, handled without a traceback.

Streams may be closed, and Ctrl-C may come before the command begins or after it has finished.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

INTERRUPTED, UNREAD = 130, 141  # a shell's exit codes for SIGINT and SIGPIPE
OUTPUT_ERROR = 1
FEW = 8  # lines of one kind that are printed


def printable(text: str) -> str:
    """Text of unknown origin, without characters that control a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def first_few(lines: Sequence[str]) -> list[str]:
    """The first FEW lines, and a line with the number of those left out."""
    if len(lines) <= FEW + 1:
        return list(lines)
    return [*lines[:FEW], f"... and {len(lines) - FEW} more like these"]


def plain_console(uncut: bool = False) -> Console:
    """A console without markup; with `uncut`, lines are not wrapped if the output is no
    terminal.
    """
    from rich.console import Console

    width = 200 if uncut and not sys.stdout.isatty() else None
    return Console(width=width, markup=False, emoji=False)


def open_streams() -> None:
    """Connect closed streams (`>&-`) to /dev/null; else the next opened file would become one.

    A name with letters that the output's encoding lacks is printed with escapes.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


class Output:
    """Standard output of a command, whose reader may close it."""

    def __init__(self) -> None:
        self._kept: int | None = None
        with contextlib.suppress(OSError, ValueError):  # in a test it is no file
            self._kept = os.dup(sys.stdout.fileno())

    def unread(self) -> bool:
        """Whether standard output is a pipe without a reader."""
        if self._kept is None:
            return False
        looker = select.poll()
        looker.register(self._kept, 0)  # POLLERR is always reported
        return any(event & select.POLLERR for _, event in looker.poll(0))

    def end(self, code: int) -> int:
        """Flush standard output; returns the exit code."""
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
        """Send the remaining output to /dev/null, also that of Python's own exit."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        with contextlib.suppress(OSError, ValueError):
            os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)

    def close(self) -> None:
        """Close the copy of standard output."""
        if self._kept is not None:
            os.close(self._kept)


class Interrupts:
    """Ctrl-C in a process that runs one command, until its end."""

    def __init__(self) -> None:
        """Leave the handler of __main__ in place: nothing has begun that needs an orderly end."""
        self.came = False

    def begin(self) -> None:
        """From now on, Ctrl-C raises KeyboardInterrupt in the command."""
        signal.signal(signal.SIGINT, self._interrupt)
        ignored, printed = sys.unraisablehook, sys.excepthook
        failed = threading.excepthook

        def unraisable(what: Any) -> None:
            """Exit on an interrupt that Python would only print, as in a callback."""
            if isinstance(what.exc_value, KeyboardInterrupt):
                os._exit(INTERRUPTED)
            ignored(what)

        def uncaught(kind: type[BaseException], *what: Any) -> None:
            """Exit on an interrupt that C code prints, such as a library that is being loaded."""
            if issubclass(kind, KeyboardInterrupt):
                os._exit(INTERRUPTED)
            printed(kind, *what)

        def in_thread(what: Any) -> None:
            """Print what goes wrong in a thread, unless an interrupt has taken away its work."""
            if not self.came:
                failed(what)

        sys.unraisablehook, sys.excepthook = unraisable, uncaught
        threading.excepthook = in_thread

    def end(self, code: int) -> None:
        """From now on, Ctrl-C exits at once with `code`: the interpreter's end may take long."""
        signal.signal(signal.SIGINT, lambda *_: os._exit(code))

    def _interrupt(self, number: int, frame: Any) -> None:
        self.came = True
        raise KeyboardInterrupt
