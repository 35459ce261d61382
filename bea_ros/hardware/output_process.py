# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The only process that accesses the hardware, started and commanded by an `OutputLink`.

It stops all pulses as soon as its parent has ended, for whatever reason, or is silent for half a
second. A bus that hangs blocks only this process. If pulses would outlive it, another process
waits for its end (see last_words.py). Lines of JSON on stdin and stdout:

    < {"board": ..., "pins": ..., "numbers": [27, 17]}      once: what to drive
    > {"ready": true}  or  {"failure": "one line"}          once; all pulses are stopped
    < {"pulses": {"27": 1500.0}}                            us; other outputs are stopped
    > {"retries": 0, "fault": ""}                           after each request
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from socket import socket
from typing import Any

from bea_ros.hardware.errors import HardwareError
from bea_ros.hardware.last_words import LastWords
from bea_ros.hardware.outputs import Outputs, make_outputs
from bea_ros.system.locks import machine_lock

SILENCE = 0.5  # s without a line after which pulses are stopped
ATTEMPTS = 3  # at each message to the hardware
PAUSE = 0.005  # s between them
RECOVERY = 0.1  # s between attempts to reach hardware that failed
LAST_WORDS = 10  # s after the parent's end for which it tries to stop the pulses


class Ended(BaseException):
    """A signal asked this process to end."""


class OutputServer:
    """Carries out the parent's requests, and relaxes the servos if one fails or is missing."""

    def __init__(self, outputs: Outputs) -> None:
        self.outputs = outputs
        self.retries = 0
        self.fault = ""
        self.lapse = ""  # why it relaxed the servos without a request
        self.pulsing = False

    def start(self) -> None:
        """Relax the servos, which may have been left powered; raises HardwareError."""
        self._attempt(self.outputs.start)
        if self.fault:
            raise HardwareError(f"{self.fault}; {self.outputs.remedy}")

    @property
    def patience(self) -> float | None:
        """Time to wait for the parent's next line (s); None: for ever."""
        if self.fault:
            return RECOVERY
        return SILENCE if self.pulsing else None

    def write(self, pulses: Mapping[int, float]) -> dict[str, Any]:
        """Set pulses (us), unless the hardware is failing; returns the answer to the parent."""
        before = self.retries
        told = self.fault or (self.lapse if pulses else "")
        self.lapse = ""
        if told:
            self.recover()
        else:
            self.pulsing = True  # also if this fails half-way
            self._attempt(lambda: self.outputs.write(pulses) if pulses else self.outputs.relax())
            self.pulsing = bool(pulses) or bool(self.fault)
            told = self.fault
            if told:
                self.recover()
        return {"retries": self.retries - before, "fault": told}

    def miss(self) -> None:
        """Relax the servos, as the parent was silent."""
        if self.pulsing and not self.fault:
            self.lapse = f"the driver was silent for {SILENCE} s"
        self.recover()

    def recover(self) -> None:
        """Stop all pulses; if the hardware failed, start it anew."""
        self._attempt(self.outputs.start if self.fault else self.outputs.relax)
        self.pulsing = bool(self.fault)

    def _attempt(self, work: Callable[[], None]) -> None:
        for attempt in range(ATTEMPTS):
            try:
                work()
            except Exception as error:  # each library has its own exceptions
                self.retries += 1
                self.fault = f"{self.outputs}: {' '.join(str(error).split()) or type(error)}"
                if attempt < ATTEMPTS - 1:
                    time.sleep(PAUSE)
            else:
                self.fault = ""
                return


def serve(server: OutputServer) -> None:
    """Carry out the parent's requests until it has ended; raises HardwareError.

    It is raised if only a new process can reach the hardware, which the parent starts.
    """
    rest = b""
    while True:
        if server.fault and not server.outputs.recovers:
            raise HardwareError(server.fault)
        if not select.select([0], [], [], server.patience)[0]:
            server.miss()
            continue
        data = os.read(0, 65536)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            pulses = {int(number): pulse for number, pulse in json.loads(line)["pulses"].items()}
            _tell(server.write(pulses))


def main() -> int:
    """Serve one parent; returns the exit code."""
    _end_by_signals()
    sys.stdout = sys.stderr  # output of libraries must not reach the parent
    sys.unraisablehook = lambda _: None  # gpiozero's objects at their end, without a connection
    server = lock = last_words = None
    try:
        line = _first_line()
        if not line:
            return 0
        request = json.loads(line)
        lock = _lock(request)
        outputs = make_outputs(request["board"], request["pins"], request["numbers"])
        if outputs.outlive:
            last_words = LastWords(request, lock)
        server = OutputServer(outputs)
        server.start()
        _tell({"ready": True})
        serve(server)
    except HardwareError as error:
        server = None
        _tell({"failure": str(error)})
        return 1
    except (Ended, BrokenPipeError):
        pass
    finally:
        if server:
            _relax_for_good(server)
            server.outputs.close()
        if last_words:
            last_words.close()
        if lock:
            lock.close()
    return 0


def _first_line() -> bytes:
    """Read the parent's first line, and nothing beyond it."""
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(0, 1)):
        line += byte
    return line


def _tell(answer: dict[str, Any]) -> None:
    os.write(1, json.dumps(answer).encode() + b"\n")


def _end_by_signals() -> None:
    """Let the first signal that would end this process relax the servos; others do nothing."""
    ended = False

    def end(number: int, frame: Any) -> None:
        nonlocal ended
        if not ended:
            ended = True
            raise Ended

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT,
                   signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM):  # fmt: skip
        signal.signal(number, end)


def _relax_for_good(server: OutputServer) -> None:
    """Stop the pulses, retrying for LAST_WORDS; if the bus hangs, SIGALRM ends the process."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LAST_WORDS)
    server.recover()
    while server.fault:
        time.sleep(RECOVERY)
        server.recover()
    signal.alarm(0)


def _lock(request: Mapping[str, Any]) -> socket | None:
    """Lock the hardware for this process; raises HardwareError if another one has it."""
    if request["pins"] == "mock":
        return None
    deadline = time.monotonic() + 1.0  # a previous process may be ending
    while not (lock := machine_lock(f"servos/{_hardware(request['board'])}")):
        if time.monotonic() > deadline:
            raise HardwareError("another process on this machine drives the servos")
        time.sleep(PAUSE)
    return lock


def _hardware(board: Mapping[str, Any]) -> str:
    """Return a name of the hardware, the same for every spelling of its bus."""
    if "bus" not in board:
        return "gpio"
    bus = str(board["bus"])
    device = Path(f"/dev/i2c-{bus}" if bus.isdigit() else bus).resolve()
    return f"{device}-{board.get('address', '')}".replace("/", "_").lstrip("_")


if __name__ == "__main__":
    sys.exit(main())
