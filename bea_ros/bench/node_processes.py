# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The processes of a graph that `bea` started, as benchmarks look at them."""

from __future__ import annotations

from pathlib import Path

import psutil

from bea_ros.nodes.executables import NAMES
from bea_ros.runs.folder import LOG
from bea_ros.system.files import read_whole


def nodes_of(parent: int) -> dict[str, psutil.Process]:
    """The nodes that a process started, by the names of their executables."""
    nodes = {}
    for child in psutil.Process(parent).children():
        try:
            words = child.cmdline()
        except psutil.Error:  # ended
            continue
        for word in words:
            if word in NAMES:
                nodes[NAMES[word]] = child
    return nodes


def evaluations_in(run: Path) -> int:
    """How many evaluations a run that is being learned has so far."""
    log = run / LOG
    return read_whole(log).count(b"\n") if log.exists() else 0


def cpu_seconds(nodes: dict[str, psutil.Process]) -> dict[str, float]:
    """CPU seconds that each node has used so far; those that ended are left out."""
    seconds = {}
    for name, node in nodes.items():
        try:
            used = node.cpu_times()
        except psutil.Error:
            continue
        seconds[name] = used.user + used.system
    return seconds
