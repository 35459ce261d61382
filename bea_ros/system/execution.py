# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Parallel work on all cores or on a Dask cluster, with a line of progress."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import current_process
from typing import Any

from joblib import Parallel, delayed, parallel_config
from joblib.parallel import LokyBackend, get_active_backend
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

POLL = 0.5  # s between counts of finished runs
_GUARD, _LOOK = "ends with its owner", 0.2  # name of a thread; s between its checks
_FEEDER, FREED = "QueueFeederThread", 2.0  # loky's; s that it may take
RECENT = 300.0  # s over which the speed is averaged, for the time left
LOGGED = 60.0  # s between two lines in a log, as under nohup, where a bar cannot be redrawn


def check_jobs(jobs: int) -> None:
    """Raise ValueError for a number of jobs that is not allowed."""
    if jobs == 0 or jobs < -1:
        raise ValueError(f"--jobs {jobs}: a number from 1, or -1 for one per core")


def for_each(
    work: Callable[..., Any], runs: Sequence[Any], *arguments: Any, jobs: int, scheduler: str
) -> None:
    """Call `work(run, *arguments)` for every run, `jobs` at a time (-1: one per core).

    With the address of a Dask `scheduler`, its workers do the work. Workers on this machine end
    when this process ends, for any reason. Raises ValueError as `backend` does.
    """
    with backend(scheduler), _all_freed():
        # Dask gets everything at once, for workers that join later. loky's threads break if that
        # is interrupted. Batches of one keep all workers busy to the end.
        local = isinstance(get_active_backend()[0], LokyBackend)
        parallel = Parallel(jobs, batch_size=1, pre_dispatch="2 * n_jobs" if local else "all")
        parallel(delayed(_guarded)(os.getpid(), work, run, *arguments) for run in runs)


def results(
    work: Callable[..., Any], tasks: Iterable[Any], *arguments: Any, jobs: int
) -> Iterator[Any]:
    """Yields `work(task, *arguments)` for every task, in order, as soon as it is finished.

    Workers are as in `for_each`; within `backend` they are those of Dask.
    """
    parallel = Parallel(n_jobs=jobs, batch_size=1, pre_dispatch="all", return_as="generator")
    with _all_freed():
        yield from parallel(
            delayed(_guarded)(os.getpid(), work, task, *arguments) for task in tasks
        )


@contextmanager
def _all_freed() -> Iterator[None]:
    """When interrupted, wait for the thread that frees the semaphores of loky's queue.

    It is a daemon. If the process ended earlier, loky would print that they leaked.
    """
    try:
        yield
    except BaseException:
        for thread in threading.enumerate():
            if thread.name == _FEEDER:
                thread.join(FREED)
        raise


def _guarded(owner: int, work: Callable[..., Any], *arguments: Any) -> Any:
    """`work(*arguments)`, in a worker that ends with the process `owner` on this machine.

    joblib's own workers would continue and disturb a restarted study. A worker that gets its first
    task after `owner` has ended exits at once. Dask's workers have other names and owners.
    """
    own = current_process().name.startswith("LokyProcess")
    if own and not any(t.name == _GUARD for t in threading.enumerate()):
        threading.Thread(target=_end_with, args=(owner,), name=_GUARD, daemon=True).start()
    return work(*arguments)


def _end_with(owner: int) -> None:
    while os.getppid() == owner:
        time.sleep(_LOOK)
    os._exit(1)


@contextmanager
def backend(scheduler: str) -> Iterator[None]:
    """Let joblib send work to a Dask scheduler in the block; without one, work stays local.

    Raises ValueError if Dask is not installed or does not answer.
    """
    if not scheduler:
        yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("--scheduler needs Dask: pip install distributed") from None
    try:
        client = Client(scheduler, timeout="10s")
    except (OSError, TimeoutError, ValueError) as error:
        raise ValueError(f"no Dask scheduler at {scheduler}: {error}") from None
    with client, parallel_config(backend="dask"):
        yield


@contextmanager
def progress(
    total: int,
    count: Callable[[], int],
    unit: str = "runs",
    remark: Callable[[], str] = str,
) -> Iterator[None]:
    """Show progress during the block: `count()` of `total`, and the time left.

    The line ends with `remark()`, called after each count. If standard error is no terminal, a new
    line is written every LOGGED seconds.
    """
    columns = (
        TextColumn(unit),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[remark]}"),
    )
    done = threading.Event()
    console = Console(stderr=True)
    with Progress(*columns, console=console, speed_estimate_period=RECENT) as bar:
        task = bar.add_task("", total=total, completed=count(), remark="")

        def look() -> None:
            bar.update(task, completed=count(), remark=remark())

        def watch() -> None:
            logged = time.monotonic()
            while not done.wait(POLL):
                look()
                if not console.is_terminal and time.monotonic() - logged >= LOGGED:
                    console.print(bar.get_renderable())
                    logged = time.monotonic()

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
            look()
