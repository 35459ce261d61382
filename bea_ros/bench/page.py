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
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import numpy as np
import pandas as pd
import psutil
from numpy.typing import NDArray

from bea_ros.bench.node_processes import cpu_seconds, evaluations_in, learn
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
        for _ in learn(alone, *size, "--in-process", total=evaluations):
            pass
        same = _log_of(watched) == _log_of(alone)
        seconds = [record["time"]["evaluation"] for record in read_evaluations(watched)]
        _print(*found, seconds, pages, same)
    return 0 if same else 1


class Look(NamedTuple):
    """What the run had used after `done` evaluations, and whether pages were `open` then.

    `page`, `others` and `bench` are the CPU time (s) of the page's node, of the other nodes and of
    this benchmark, `time` is that which passed (s), and `memory` is the page's node's (MiB).
    """

    done: int
    open: bool
    page: float
    others: float
    bench: float
    time: float
    memory: float


class Pages:
    """Browsers without a screen, in a thread: they receive the page's messages."""

    def __init__(self, count: int) -> None:
        self.received = 0  # bytes
        self._count = count
        self._loop = asyncio.new_event_loop()
        self._views: list[Any] = []
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def show(self, wanted: bool, root: str, token: str) -> None:
        """Open or close all pages, unless they are so."""
        if wanted and not self._views:
            self._views = [
                asyncio.run_coroutine_threadsafe(self._view(root, token), self._loop)
                for _ in range(self._count)
            ]
        elif not wanted:
            for view in self._views:
                view.cancel()
            self._views = []

    async def _view(self, root: str, token: str) -> None:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{root}live", max_msg_size=0) as socket,
        ):
            await socket.send_str(json.dumps({"token": token}))
            async for message in socket:
                self.received += len(message.data)
                if message.type is aiohttp.WSMsgType.TEXT:
                    await socket.send_str('"next"')


def _learn(
    output: Path, size: Sequence[object], total: int, count: int
) -> tuple[list[Look], int] | None:
    """Learn with the graph; `count` pages are open half of the time. None if it did not finish.

    Returns a look after each evaluation, and the bytes that all pages received.
    """
    pages, found = Pages(count), list[Look]()
    said = output.with_suffix(".txt")
    address = None
    with said.open("w") as file:
        for nodes in learn(output, *size, "--page", "local", total=total, stdout=file):
            address = address or ADDRESS.search(read_whole(said).decode())
            done = evaluations_in(output)
            if not address or (found and found[-1].done == done):
                continue
            pages.show(is_open(done), *address.groups())
            with contextlib.suppress(psutil.Error, KeyError):
                memory = nodes["page"].memory_info().rss / 2**20
                cpu = cpu_seconds(nodes)
                own, clocks = cpu.pop("page"), (time.process_time(), time.monotonic())
                found.append(Look(done, is_open(done), own, sum(cpu.values()), *clocks, memory))
    if address:
        pages.show(False, *address.groups())
    return (found, pages.received) if evaluations_in(output) >= total else None


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


def _print(
    found: Sequence[Look], received: int, seconds: list[float], pages: int, same: bool
) -> None:
    ratios = paired(seconds)
    drawn = np.random.default_rng(0).choice(ratios, (10_000, len(ratios)))
    ends = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    pace, low, high = (100 * (ratio - 1) for ratio in (np.median(ratios), *ends))
    table = pd.DataFrame(found)
    third = max(len(table) // 3, 1)
    first, last = table["memory"][:third].median(), table["memory"][-third:].median()
    used = table.diff().assign(open=table["open"])[table["open"] == table["open"].shift()]
    used = used.groupby("open").sum().reindex([False, True]).T
    none, some = used.loc["others"] / used.loc["done"]  # CPU s for an evaluation
    (node, node_open), (bench, bench_open) = (
        100 * used.loc[name] / used.loc["time"] for name in ("page", "bench")
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
        f"{received / 2**20:.0f} MiB sent"
    )
    print(
        f"this benchmark itself, on the same machine: {bench:.1f} % of a core with none, "
        f"{bench_open:.1f} % as {pages} browsers"
    )
