# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Running `bea` in tests: the real graph, several processes, real DDS."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

BEA = [sys.executable, "-m", "bea_ros.cli"]


def bea(*arguments, **options) -> subprocess.CompletedProcess:
    """Run a bea command to its end."""
    return subprocess.run(
        [*BEA, *map(str, arguments)], capture_output=True, text=True, timeout=180, **options
    )


def learn_command(output, evaluations=14, seed=1, *more):
    return [
        *BEA, "learn", "--output", str(output), "--evaluations", str(evaluations),
        "--seed", str(seed), "--duration", "2", *more,
    ]  # fmt: skip


def start(command) -> subprocess.Popen:
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def log_of(folder: Path) -> list[str]:
    """The log's lines as they must be equal between two runs: without `time`."""
    lines = []
    for line in (folder / "evaluations.jsonl").read_text().splitlines():
        record = json.loads(line)
        del record["time"]
        lines.append(json.dumps(record))
    return lines


def evaluations_in(folder: Path) -> int:
    log = folder / "evaluations.jsonl"
    return len(log.read_text().splitlines()) if log.exists() else 0


def nodes_of(process: subprocess.Popen) -> dict[str, int]:
    """Process ids of the nodes that a `bea` process started, by name."""
    nodes = {}
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for child in children:
        words = Path(f"/proc/{child}/cmdline").read_text().split("\0")
        for word in words:
            if word.startswith("bea_ros.nodes."):
                nodes[word.rsplit(".", 1)[1]] = int(child)
    return nodes


def wait_for(condition, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


def kill_all(process: subprocess.Popen) -> None:
    """Whatever a test did, leave nothing behind."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        process.wait(10)
