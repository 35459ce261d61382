# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run of `bea learn` and the processes of its graph, for benchmarks."""

from __future__ import annotations

import contextlib
import math
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import psutil

from bea_ros.nodes.executables import NAMES
from bea_ros.runs.folder.run_folder import LOG
from bea_ros.system.execution import progress
from bea_ros.system.files import read_whole

SEEK = 0.5  # s between searches for nodes, which go through all processes


def learn(
    output: Path, *options: object, total: int, stdout: Any = subprocess.DEVNULL
) -> Generator[dict[str, psutil.Process], None, None]:
    """Run `bea learn` with a line of progress out of `total` evaluations.

    Yields its nodes repeatedly until it ends. If the caller closes the iterator, it is stopped.
    """
    words = [sys.executable, "-m", "bea_ros", "learn", "--output", str(output), *map(str, options)]
    process = subprocess.Popen(words, stdout=stdout, text=True)
    nodes: dict[str, psutil.Process] = {}
    sought = -math.inf
    with progress(total, lambda: evaluations_in(output), "evaluations"):
        try:
            while process.poll() is None:
                if time.monotonic() - sought > SEEK:
                    nodes, sought = nodes_of(process.pid), time.monotonic()
                yield nodes
                time.sleep(0.05)
        except GeneratorExit:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise


def nodes_of(parent: int) -> dict[str, psutil.Process]:
    """The nodes that a process started, by name of executable."""
    nodes: dict[str, psutil.Process] = {}
    for child in psutil.Process(parent).children():
        with contextlib.suppress(psutil.Error):  # the process ended
            nodes |= {NAMES[word]: child for word in child.cmdline() if word in NAMES}
    return nodes


def evaluations_in(run: Path) -> int:
    """Number of evaluations so far of a run that is still learning."""
    log = run / LOG
    return read_whole(log).count(b"\n") if log.exists() else 0


def cpu_seconds(nodes: dict[str, psutil.Process]) -> dict[str, float]:
    """CPU time (s) of each node so far, without nodes that ended."""
    seconds = {}
    for name, node in nodes.items():
        with contextlib.suppress(psutil.Error):
            used = node.cpu_times()
            seconds[name] = used.user + used.system
    return seconds
