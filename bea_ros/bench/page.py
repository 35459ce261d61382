# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The cost of open pages: a run's log, its pace, and the memory of the page's node."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import psutil
from numpy.typing import NDArray

from bea_ros.bench.node_processes import cpu_seconds, evaluations_in, learning, looks
from bea_ros.runs.folder.run_folder import read_evaluations, read_measurements
from bea_ros.system.files import read_whole

BLOCK = 25  # evaluations without pages, twice as many with them, as many without, and so on
LEFT_OUT = 2  # first evaluations of a block: the pages open or close during them
Array = NDArray[np.float64]
ADDRESS = re.compile(r"page: (http://[\d.]+:\d+/)#(\w+)")


def run(evaluations: int, duration: float, pages: int) -> int:
    """Learn with pages open half of the time and print the differences.

    Returns the exit code, 1 if the log differs from that of a run without a page.
    """
    if evaluations < 4 * BLOCK or pages < 1:
        raise ValueError(f"bench page needs {4 * BLOCK} --evaluations or more, and 1 of --pages")
    with tempfile.TemporaryDirectory() as folder:
        watched, alone = Path(folder) / "watched", Path(folder) / "alone"
        size = ("--evaluations", evaluations, "--duration", duration)
        found = _learn(watched, size, evaluations, pages)
        if found is None:
            print("bench page: the graph did not finish (its output is above)", file=sys.stderr)
            return 1
        with learning(alone, *size, "--in-process", total=evaluations):
            pass  # to its end
        same = _log_of(watched) == _log_of(alone)
        _print(found, _seconds(watched), pages, same)
    return 0 if same else 1


@dataclass
class Found:
    """Measurements during the run.

    `used` has, with pages open (True) and without (False), the CPU time of the page's node, of the
    other nodes and of this benchmark, and the time that passed (s).
    """

    opened: list[bool] = field(default_factory=list)  # by evaluation: pages are open
    memory: list[float] = field(default_factory=list)  # MiB of the page's node, by evaluation
    used: dict[bool, Array] = field(
        default_factory=lambda: {False: np.zeros(4), True: np.zeros(4)}
    )
    before: Array = field(default_factory=lambda: np.zeros(4))  # the last values of the four
    received: int = 0  # bytes, by all pages


class Pages:
    """Browsers without a screen, in a thread: they receive the page's messages."""

    def __init__(self) -> None:
        self.received = 0
        self._loop = asyncio.new_event_loop()
        self._views: list[Any] = []
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def open(self, root: str, token: str, count: int) -> None:
        """Open `count` more pages."""
        for _ in range(count):
            self._views.append(
                asyncio.run_coroutine_threadsafe(self._view(root, token), self._loop)
            )

    def close(self) -> None:
        """Close all pages."""
        for view in self._views:
            view.cancel()
        self._views.clear()

    async def _view(self, root: str, token: str) -> None:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{root}live", max_msg_size=0) as socket,
        ):
            await socket.send_str(json.dumps({"token": token}))
            async for message in socket:
                self.received += len(message.data)


def _learn(output: Path, size: Sequence[object], total: int, count: int) -> Found | None:
    """Learn with the graph; pages are open half of the time. None if it did not finish."""
    found, pages = Found(), Pages()
    said = output.with_suffix(".txt")
    address = None
    with (
        said.open("w") as file,
        learning(output, *size, "--page", "local", total=total, stdout=file) as process,
    ):
        for nodes in looks(process):
            address = address or ADDRESS.search(read_whole(said).decode())
            if address:
                _look(found, pages, address.groups(), nodes, evaluations_in(output), count)
    pages.close()
    found.received = pages.received
    return found if evaluations_in(output) >= total else None


def _look(
    found: Found,
    pages: Pages,
    address: Sequence[str],
    nodes: dict[str, Any],
    done: int,
    count: int,
) -> None:
    """Open or close the pages at the start of a block, and record CPU time and memory."""
    wanted = is_open(done)
    same = bool(found.opened) and wanted == found.opened[-1]
    if not same:
        pages.open(address[0], address[1], count) if wanted else pages.close()
    if done == len(found.opened) and found.opened:
        return
    with contextlib.suppress(psutil.Error, KeyError):
        memory = nodes["page"].memory_info().rss / 2**20
        cpu = cpu_seconds(nodes)
        own = cpu.pop("page")
        now = np.array([own, sum(cpu.values()), time.process_time(), time.monotonic()])
        if same:
            found.used[wanted] += now - found.before
        found.before = now
        missing = max(done, 1) - len(found.opened)
        found.opened += [wanted] * missing
        found.memory += [memory] * missing


def is_open(done: int) -> bool:
    """Whether pages are open after `done` evaluations.

    Every second pair of blocks begins with open pages, so that a trend favours neither side.
    """
    return (done // BLOCK + 1) // 2 % 2 == 1


def paired(seconds: Sequence[float]) -> Array:
    """Ratio of the median evaluation times with and without pages, shape (pairs of blocks,)."""
    blocks = [seconds[i : i + BLOCK] for i in range(0, len(seconds), BLOCK)]
    medians = [float(np.median(block[LEFT_OUT:])) for block in blocks if len(block) == BLOCK]
    pairs = zip(medians[0::2], medians[1::2], strict=False)
    ratios = [second / first for first, second in pairs]
    return np.array([1 / r if i % 2 else r for i, r in enumerate(ratios)])


def _log_of(folder: Path) -> list[dict[str, Any]]:
    """A run's measurements without their times."""
    records = read_measurements(folder)
    return [{name: record[name] for name in record if name != "time"} for record in records]


def _seconds(folder: Path) -> list[float]:
    return [record["time"]["evaluation"] for record in read_evaluations(folder)]


def _print(found: Found, seconds: list[float], pages: int, same: bool) -> None:
    ratios = paired(seconds)
    drawn = np.random.default_rng(0).choice(ratios, (10_000, len(ratios)))
    ends = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    pace, low, high = (100 * (ratio - 1) for ratio in (np.median(ratios), *ends))
    third = max(len(found.memory) // 3, 1)
    first, last = np.median(found.memory[:third]), np.median(found.memory[-third:])
    # CPU time (s) of the other nodes per evaluation, then shares of a core (%), without and with
    none, some = (found.used[o][1] / max(found.opened.count(o), 1) for o in (False, True))
    (node, _, bench), (node_open, _, bench_open) = (
        100 * found.used[opened][:3] / (found.used[opened][3] or np.inf)
        for opened in (False, True)
    )
    print(f"log: {'equal to' if same else 'NOT that of'} a run without a page")
    print(
        f"an evaluation takes {pace:+.1f} % with {pages} pages open (median of {len(ratios)} "
        f"pairs of blocks of {BLOCK}; 95 % interval {low:+.1f} to {high:+.1f} %)"
    )
    print(
        f"the other nodes use {none:.2f} CPU s for an evaluation with none, "
        f"{some:.2f} with {pages}"
    )
    print(
        f"page's node: {node:.1f} % of a core with none, {node_open:.1f} % with {pages}; "
        f"{first:.0f} MiB in the first third of the run, {last:.0f} MiB in the last; "
        f"{found.received / 2**20:.0f} MiB sent"
    )
    print(
        f"this benchmark itself, on the same machine: {bench:.1f} % of a core with none, "
        f"{bench_open:.1f} % as {pages} browsers"
    )
