# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Priority and end of child processes."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1  # prctl(2)

NICEST = -10  # nice(2), of the process that stops a robot, without real-time scheduling


def go_first() -> None:
    """Give this thread, and all that it starts, priority over processes that only compute.

    Uses real-time scheduling if allowed (root; systemd: LimitRTPRIO=1), else a higher priority
    (LimitNICE=-10), else nothing changes.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, NICEST)


def die_with_parent() -> None:
    """Let the kernel end this process when its parent ends, also after kill -9."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def kill_with_parent() -> None:
    """As `die_with_parent`, for a process that may hang: it is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def how_it_ended(code: int) -> str:
    """The end of a process in words, from its exit code, or minus the signal that killed it."""
    if code >= 0:
        return f"exit code {code}"
    names = {one.value: one.name for one in signal.Signals}  # most real-time signals have none
    return f"killed by {names.get(-code, f'signal {-code}')}"
