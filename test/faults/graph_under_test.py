# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A learning run that faults are done to, and resumed where one stopped it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from bea_ros.nodes.executables import NAMES
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.run_folder import LOG, read_evaluations

HERE = Path(__file__).resolve().parent
FACTOR = 3.0  # simulated s per s: slow enough to be in the middle of something
QUIET = 150.0  # s (wall clock) without an evaluation or an end: it hangs,
USED = 15.0  # s of processor time meanwhile, unless
QUIET_FOR_LACK = 1200.0  # s (wall clock) have passed: on a busy machine it may get no turn
# What says why a run stopped; one of them is enough.
REASON = re.compile(r"^(bea: |bea \w+: |stopped: |paused: |\w+: )\S.*", re.MULTILINE)
INTERRUPTED = re.compile(r"^stopped\. What was measured is saved", re.MULTILINE)


class Run:
    """A run of `evaluations` into `folder`, in its own ROS domain, `factor` times real time.

    `alone` it is one process, which gives the same log.
    """

    evaluations = 30

    def __init__(
        self,
        folder: Path,
        domain: int,
        relayed: tuple[str, ...] = (),
        factor: float = FACTOR,
        alone: bool = False,
    ) -> None:
        self.folder = folder
        self.domain = domain
        self.relayed = relayed
        self.factor = factor
        self.alone = alone
        self.output = folder.parent.with_name(f"{folder.name}.txt")  # which no power cut loses
        self.reason = ""  # that it gave when it stopped last
        self.started: list[float] = []  # when (monotonic, s), each time
        self.start()

    def start(self) -> None:
        """Start it, or go on."""
        self.started.append(time.monotonic())
        if self.relayed:
            words = [str(HERE / "learn_through_relay.py"), str(self.folder), str(self.evaluations)]
            words += [str(self.factor), *self.relayed]
        else:
            words = ["-m", "bea_ros", "learn", "--output", str(self.folder)]
            words += ["--evaluations", str(self.evaluations), "--duration", "2"]
            words += ["--real-time-factor", str(self.factor)]
            words += ["--in-process", "--page", "off"] if self.alone else []
        self.offset = self.output.stat().st_size if self.output.exists() else 0
        with self.output.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, *words],
                stdout=file,
                stderr=subprocess.STDOUT,
                env=environment(self.domain),
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        """What the current process and its nodes said."""
        with self.output.open("rb") as file:
            file.seek(self.offset)
            return file.read().decode(errors="replace")

    @property
    def done(self) -> int:
        """Evaluations on disk."""
        path = self.folder / LOG
        try:
            return path.read_bytes().count(b"\n")
        except FileNotFoundError:
            return 0

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def paused(self) -> bool:
        """It waits for the operator, and has said why."""
        return bool(re.search(r"paused", self.said.splitlines()[-1] if self.said else ""))

    def nodes(self) -> dict[str, int]:
        """Process ids of the nodes by name, and of bea itself."""
        found = {"bea": self.process.pid}
        try:
            children = psutil.Process(self.process.pid).children()
        except psutil.NoSuchProcess:
            return {}
        for child in children:
            try:
                words = [word for word in child.cmdline() if word in NAMES]
            except psutil.Error:
                continue
            found.update({NAMES[word]: child.pid for word in words})
        return found

    def wait_for_progress(self, evaluations: int) -> bool:
        """Until so many are on disk, or the process ended, or it pauses; False if it hangs."""
        last, since, used = self.done, time.monotonic(), self.processor_time()
        while self.alive and self.done < evaluations and not self.paused:
            if self.done != last:
                last, since, used = self.done, time.monotonic(), self.processor_time()
            if self.hangs(since, used):
                return False
            time.sleep(0.02)
        return True

    def hangs(self, since: float, used: float) -> bool:
        """Whether nothing has come since then, when it had used so much processor time (s)."""
        quiet = time.monotonic() - since
        busy = self.processor_time() - used if quiet > QUIET else 0.0
        return busy > USED or quiet > QUIET_FOR_LACK

    def processor_time(self) -> float:
        """What `bea` and its nodes have used of it (s)."""
        total = 0.0
        for pid in self.nodes().values():
            with contextlib.suppress(psutil.Error):
                total += sum(psutil.Process(pid).cpu_times()[:2])
        return total

    def end(self) -> None:
        """Stop it; whatever was done to its nodes, none is left behind."""
        found = self.nodes()
        found.pop("bea", None)  # whose exit code psutil would take: it would seem to be 0
        nodes = []
        for pid in found.values():
            with contextlib.suppress(psutil.NoSuchProcess):
                nodes.append(psutil.Process(pid))
        for node in nodes:
            _signal(node, signal.SIGCONT)
        if self.alive:
            _signal(psutil.Process(self.process.pid), signal.SIGCONT)
            self.process.terminate()
        _, left = psutil.wait_procs(nodes, timeout=15)
        for node in left:
            _signal(node, signal.SIGKILL)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def environment(domain: int) -> dict[str, str]:
    """So that nobody else hears, and the machine is left to others; domain 0: bea chooses."""
    return {
        **os.environ,
        **({"ROS_DOMAIN_ID": str(domain)} if domain else {}),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


def log_of(folder: Path) -> list[str]:
    """The log as it must be equal to the undisturbed one.

    `time` may differ, and so may `attempts`, since a fault may have cost some.
    """
    try:
        records = read_evaluations(folder)
    except RunFolderError as error:
        return [str(error)]
    return [
        json.dumps({k: v for k, v in record.items() if k not in ("time", "attempts")})
        for record in records
    ]


def _signal(process: psutil.Process, number: int) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(number)
