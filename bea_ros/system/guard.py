# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a program that ends with its parent, also if the parent is killed or the program hangs.

    python -m bea_ros.system.guard FOLDER PROGRAM [ARGUMENTS]

runs the program in FOLDER until it ends or standard input closes, as when the parent ends. Then
the program gets SIGTERM. After `GRACE`, or at once if standard input has data, the program and all
its descendants are killed. The folder is removed.
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

GRACE = 0.5  # s between asking the program to end and killing it
PR_SET_CHILD_SUBREAPER = 36  # prctl(2)


def guarded(folder: str | Path, command: list[str]) -> list[str]:
    """The command that runs a program with a guard."""
    return [sys.executable, "-m", "bea_ros.system.guard", str(folder), *command]


def main() -> int:
    """Guard a program; returns its exit code, as a shell gives it."""
    folder, *command = sys.argv[1:]
    # Orphans of the program become our children, also servers with their own session.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)  # only the end of standard input ends the guard
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
        while family := psutil.Process().children():  # also of a killed one
            for process in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            psutil.wait_procs(family, 1.0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
