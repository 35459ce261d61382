# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""CPU and memory that the onboard nodes use while a robot learns in real time."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from bea_ros.bench.node_processes import cpu_seconds, evaluations_in, learn
from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.simulation.observed import IMAGE_RATE

ONBOARD = ("learner", "cpg_controller", "camera_localization")
BEFORE, MEASURED = 300, 6  # evaluations: as fast as possible, then in real time
DURATION = 10.0  # s of an evaluation


def run() -> int:
    """Learn by BO beyond 300 evaluations, the last ones in real time, and print CPU and memory."""
    times: list[float] = []  # s
    cpu: list[dict[str, float]] = []  # s, by node
    memory: list[dict[str, int]] = []  # bytes, by node
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "run"
        for _ in _until(BEFORE, output, "0"):
            pass
        for done, nodes in _until(BEFORE + MEASURED, output, "1"):
            onboard = {name: node for name, node in nodes.items() if name in ONBOARD}
            used = cpu_seconds(onboard)
            if done > BEFORE and len(used) == len(ONBOARD):  # all is loaded; the run has resumed
                times.append(time.monotonic())
                cpu.append(used)
                # PSS counts shared libraries once: each process gets its part of them.
                memory.append(
                    {name: node.memory_full_info().pss for name, node in onboard.items()}
                )
        records = read_evaluations(output)
    if len(records) < BEFORE + MEASURED:
        print("bench onboard: the graph did not finish (its output is above)", file=sys.stderr)
        return 1
    span = times[-1] - times[0]
    overhead = max(r["time"]["overhead"] for r in records[BEFORE:])
    console = Console()
    console.print(
        f"{span:.0f} s in real time: evaluations {BEFORE + 1} to {BEFORE + MEASURED} "
        f"({records[-1]['stage']} stage), 20 commands and {IMAGE_RATE:g} images of 640x480 a "
        f"second; the optimizer took at most {1000 * overhead:.0f} ms"
    )
    shares = {name: 100 * (cpu[-1][name] - cpu[0][name]) / span for name in ONBOARD}
    mib = {name: max(taken[name] for taken in memory) / 2**20 for name in ONBOARD}
    table = Table("node", "CPU (% of one core)", "memory (MiB)")
    for name in ONBOARD:
        table.add_row(name, f"{shares[name]:.1f}", f"{mib[name]:.0f}")
    table.add_row(
        "together", f"{sum(shares.values()):.1f}", f"{sum(mib.values()):.0f}", style="bold"
    )
    console.print(table)
    return 0


def _until(
    evaluations: int, output: Path, speed: str
) -> Iterator[tuple[int, dict[str, psutil.Process]]]:
    """Learn until the run has `evaluations`; yields their number so far and the nodes, repeatedly.

    `speed` is relative to real time; 0 is as fast as possible.
    """
    size = ("--evaluations", BEFORE + MEASURED + 1, "--duration", DURATION)
    options = ("--algorithm", "bo", *size, "--real-time-factor", speed)
    with contextlib.closing(learn(output, *options, total=evaluations)) as looks:
        for nodes in looks:
            done = evaluations_in(output)
            yield done, nodes
            if done >= evaluations:
                return
