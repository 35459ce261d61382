# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Waits for the end of the process that drives servos, and relaxes them if it did not.

A PCA9685 and pigpiod continue the last pulses if the process that set them is killed. This
process has its own session, only waits, and holds the hardware's lock until the pulses have
ended. Standard input brings the hardware's description in a line of JSON and later, if the other
process has relaxed the servos itself, the line RELAXED.
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
PATIENCE = 10  # s for which it tries
RECOVERY = 0.1  # s between attempts


class LastWords:
    """The waiting process, as seen by the process that drives the servos."""

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
        """Tell the process that the servos are relaxed, so that it ends."""
        assert self._process.stdin
        self._say(RELAXED)
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)

    def _say(self, line: bytes) -> None:
        assert self._process.stdin
        with contextlib.suppress(OSError):  # the process was killed
            self._process.stdin.write(line)
            self._process.stdin.flush()


def main() -> int:
    """Wait, and relax the servos; returns the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)  # signals to all processes must not end this one
    line = sys.stdin.buffer.readline()
    if not line or sys.stdin.buffer.read() == RELAXED:
        return 0
    request = json.loads(line)
    signal.alarm(PATIENCE)  # ends this process, also if the bus hangs
    while True:
        try:
            outputs = make_outputs(request["board"], request["pins"], request["numbers"])
            outputs.start()
        except Exception:  # each library has its own exceptions
            time.sleep(RECOVERY)
        else:
            outputs.close()
            return 0


if __name__ == "__main__":
    sys.exit(main())
