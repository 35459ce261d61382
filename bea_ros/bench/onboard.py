# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""CPU and memory that the onboard nodes use while a robot learns in real time."""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from bea_ros.bench.node_processes import cpu_seconds, evaluations_in, learning, looks
from bea_ros.runs.folder.run_folder import read_evaluations

ONBOARD = ("learner", "cpg_controller", "camera_localization")
BEFORE, MEASURED = 300, 6  # evaluations: as fast as possible, then in real time
DURATION = 10.0  # s of an evaluation


def run() -> int:
    """Learn by BO beyond 300 evaluations, the last ones in real time, and print CPU and memory."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "run"
        for _ in _until(BEFORE, output, "0"):
            pass
        seen = _Seen()
        for done, nodes in _until(BEFORE + MEASURED, output, "1"):
            if done > BEFORE:  # all is loaded, and the run has resumed
                seen.look(nodes)
        records = read_evaluations(output)
    if len(records) < BEFORE + MEASURED:
        print("bench onboard: the graph did not finish (its output is above)", file=sys.stderr)
        return 1
    seen.show(records[-1]["stage"], max(r["time"]["overhead"] for r in records[BEFORE:]))
    return 0


def _until(
    evaluations: int, output: Path, speed: str
) -> Iterator[tuple[int, dict[str, psutil.Process]]]:
    """Learn until the run has `evaluations`; yields their number so far and the nodes, repeatedly.

    `speed` is relative to real time; 0 is as fast as possible.
    """
    size = ("--evaluations", BEFORE + MEASURED + 1, "--duration", DURATION)
    options = ("--algorithm", "bo", *size, "--real-time-factor", speed)
    with learning(output, *options, total=evaluations) as process:
        for nodes in looks(process):
            done = evaluations_in(output)
            yield done, nodes
            if done >= evaluations:
                process.send_signal(signal.SIGINT)
                process.wait()


class _Seen:
    """CPU time and memory of the onboard nodes over a span of real time."""

    def __init__(self) -> None:
        self.began = 0.0
        self.span = 0.0
        self.first: dict[str, float] = {}
        self.last: dict[str, float] = {}
        self.memory: dict[str, int] = {}

    def look(self, nodes: dict[str, psutil.Process]) -> None:
        nodes = {name: node for name, node in nodes.items() if name in ONBOARD}
        used = cpu_seconds(nodes)
        if len(used) < len(ONBOARD):
            return
        now = time.monotonic()
        if not self.first:
            self.began, self.first = now, used
        self.span, self.last = now - self.began, used
        for name, node in nodes.items():
            # PSS counts shared libraries once: each process gets its part of them.
            self.memory[name] = max(self.memory.get(name, 0), node.memory_full_info().pss)

    def show(self, stage: str, overhead: float) -> None:
        console = Console()
        table = Table("node", "CPU (% of one core)", "memory (MiB)")
        shares = {name: 100 * (self.last[name] - self.first[name]) / self.span for name in ONBOARD}
        for name in ONBOARD:
            table.add_row(name, f"{shares[name]:.1f}", f"{self.memory[name] / 2**20:.0f}")
        total = sum(self.memory.values()) / 2**20
        table.add_row("together", f"{sum(shares.values()):.1f}", f"{total:.0f}", style="bold")
        console.print(
            f"{self.span:.0f} s in real time: evaluations {BEFORE + 1} to {BEFORE + MEASURED} "
            f"({stage} stage), 20 commands and 10 images of 640x480 a second; the optimizer took "
            f"at most {1000 * overhead:.0f} ms"
        )
        console.print(table)
