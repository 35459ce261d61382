# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Waits for the end of the process that drives servos, and relaxes them if that one did not.

A PCA9685 and pigpiod go on with the last pulses when whoever told them is killed. This process is
in a session of its own; it does nothing but wait, and holds the hardware's lock until the pulses
have ended. What is to be driven comes on standard input in a line of JSON, then, from one that has
relaxed the servos itself, a word.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from socket import socket
from typing import Any

from bea_ros.hardware.outputs import make_outputs

RELAXED = b"relaxed\n"
PATIENCE = 10  # s that it is tried
RECOVERY = 0.1  # s between attempts


class LastWords:
    """The process, as whoever drives the servos has it."""

    def __init__(self, request: Mapping[str, Any], lock: socket | None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bea_ros.hardware.last_words"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=[lock.fileno()] if lock else [],
        )
        self._say(json.dumps(dict(request)).encode() + b"\n")

    def close(self) -> None:
        """The servos are relaxed: it has nothing to do, and ends."""
        assert self._process.stdin
        self._say(RELAXED)
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)

    def _say(self, line: bytes) -> None:
        assert self._process.stdin
        with contextlib.suppress(OSError):  # somebody killed it
            self._process.stdin.write(line)
            self._process.stdin.flush()


def main() -> int:
    """Wait, and relax the servos; returns the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)  # what ends everybody is to find it here
    line = sys.stdin.buffer.readline()
    if not line or sys.stdin.buffer.read() == RELAXED:
        return 0
    request = json.loads(line)
    signal.alarm(PATIENCE)  # also for a bus that hangs
    while True:
        try:
            outputs = make_outputs(request["board"], request["pins"], request["numbers"])
            outputs.start()
        except Exception:  # each library has exceptions of its own
            time.sleep(RECOVERY)
        else:
            outputs.close()
            return 0


if __name__ == "__main__":
    sys.exit(main())
