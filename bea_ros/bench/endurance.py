# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Growth of the nodes in a long run of the graph: memory, handles, threads, shared memory."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from bea_ros.bench.node_processes import learn
from bea_ros.runs.folder.run_folder import LOG, read_evaluations
from bea_ros.system.files import read_whole

COMPARED = 100  # evaluations at each end of the run
SHARED_MEMORY = "/dev/shm/"

# Resources of a node's process at one time: RSS in MiB, and counts
Usage = tuple[float, int, int, int]
HEADINGS = ("RSS (MiB)", "file handles", "threads", "shm segments")


def run(evaluations: int, duration: float, output: Path | None) -> int:
    """Learn with the real graph and print how the nodes grew; returns an exit code."""
    if evaluations < 20:
        raise ValueError(f"bench endurance needs 20 evaluations or more, not {evaluations}")
    with tempfile.TemporaryDirectory() as temporary:
        output = output or Path(temporary) / "run"
        said = Path(temporary) / "said.txt"
        usages = _learn(output, evaluations, duration, said)
        reason = (read_whole(said).decode().splitlines() or ["it said nothing"])[-1]
        records = read_evaluations(output)
    if len(records) < evaluations:
        print(f"bench endurance: the graph did not finish: {reason}", file=sys.stderr)
        return 1
    share = min(COMPARED, len(records) // 2)
    seconds = [r["time"]["evaluation"] for r in records]
    overhead = [r["time"]["overhead"] for r in records]
    console = Console()
    console.print(_table(usages, share))
    for name, values in (("evaluation", seconds), ("optimizer", overhead)):
        first, last = np.median(values[:share]), np.median(values[-share:])
        console.print(f"s per evaluation ({name}, median): first {first:.3f}, last {last:.3f}")
    return 0


def _table(usages: dict[str, list[Usage]], share: int) -> Table:
    """Medians over the first and the last `share` evaluations that were sampled."""
    title = f"Each node over the first and the last {share} evaluations (medians)"
    table = Table("node", *HEADINGS, title=title)
    for name, taken in usages.items():
        first, last = np.median(taken[:share], axis=0), np.median(taken[-share:], axis=0)
        cells = [
            f"{a:.{digits}f} -> {b:.{digits}f}"
            for a, b, digits in zip(first, last, (1, 0, 0, 0), strict=True)
        ]
        table.add_row(name, *cells)
    return table


def _learn(output: Path, evaluations: int, duration: float, said: Path) -> dict[str, list[Usage]]:
    """Usage of each node after each evaluation of a run of `bea learn`; some may be missed."""
    options = ("--evaluations", evaluations, "--duration", duration)
    usages: dict[str, list[Usage]] = {}
    size = 0
    log = output / LOG
    with said.open("w") as file:
        for nodes in learn(output, *options, total=evaluations, stdout=file):
            if log.exists() and log.stat().st_size > size:
                size = log.stat().st_size
                for name, node in nodes.items():
                    with contextlib.suppress(psutil.Error):  # the node ended
                        usages.setdefault(name, []).append(_usage(node))
    return usages


def _usage(node: psutil.Process) -> Usage:
    """Usage of a node now; raises psutil.Error if it ended."""
    paths = {region.path for region in node.memory_maps()}
    segments = sum(path.startswith(SHARED_MEMORY) for path in paths)
    return node.memory_info().rss / 2**20, node.num_fds(), node.num_threads(), segments
