# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A program that ends with whoever started it, also by kill -9, and also where it hangs itself.

    python -m bea_ros.system.guard FOLDER PROGRAM [ARGUMENTS]

runs the program in FOLDER until it ends or standard input does, as it does with the process that
holds the other end. Then the program is asked to end, and after `GRACE`, or at once if anything
was written there, it and all that it started is killed. The folder goes.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil

from bea_ros.system.processes import kill_with_parent

GRACE = 1.0  # s between asking the program to end and killing it
PR_SET_CHILD_SUBREAPER = 36  # prctl(2)


def guarded(folder: str | Path, command: list[str]) -> list[str]:
    """What starts a program with a guard."""
    return [sys.executable, "-m", "bea_ros.system.guard", str(folder), *command]


def main() -> int:
    """Guard a program; returns its exit code, as a shell gives it."""
    folder, *command = sys.argv[1:]
    # What the program leaves behind becomes ours, also a server with a session of its own.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)  # the end of standard input is what ends us
    try:
        program = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=kill_with_parent,
        )
        while program.poll() is None:
            if select.select([sys.stdin], [], [], 0.1)[0]:
                if not os.read(0, 1):
                    program.terminate()
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        program.wait(GRACE)
                break
        program.kill()
        code = program.wait()
        while family := [p for p in psutil.Process().children() if _kill(p)]:
            psutil.wait_procs(family, 1.0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return code if code >= 0 else 128 - code


def _kill(process: psutil.Process) -> bool:
    """Kill a child; what it started is our own child then."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process.kill()
        return True
    return False


if __name__ == "__main__":
    sys.exit(main())
