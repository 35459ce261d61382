# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that start others, and how these end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1  # prctl(2)

NICEST = -10  # nice(2), of who stops a robot, where it may not be scheduled in real time


def go_first() -> None:
    """Have the kernel run this thread, and all that it starts, before those that only compute.

    In real time where it lets us (root; systemd: LimitRTPRIO=1), else with a higher priority
    (LimitNICE=-10), else as before.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, NICEST)


def die_with_parent() -> None:
    """Have the kernel end this process when the one that started it is gone, even by kill -9."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def kill_with_parent() -> None:
    """As `die_with_parent`, of a process that may hang: nothing is asked of it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def how_it_ended(code: int) -> str:
    """A process's end in words, from its exit code, or minus the signal that killed it."""
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
