# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Work on all cores or on a Dask cluster, and a line on how far it is."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from multiprocessing import current_process
from typing import Any

from joblib import Parallel, delayed, parallel_config
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

POLL = 0.5  # s between looks at what is done
_GUARD, _LOOK = "ends with its owner", 0.2  # name of a thread; s between its looks
RECENT = 300.0  # s over which the speed is averaged for the time left
LOGGED = 60.0  # s between two lines in a log, as under nohup, where no bar can be redrawn


def check_jobs(jobs: int) -> None:
    """Raise ValueError for a number of jobs that cannot be."""
    if jobs == 0 or jobs < -1:
        raise ValueError(f"--jobs {jobs}: a number from 1, or -1 for one per core")


def for_each(
    work: Callable[..., Any], runs: Sequence[Any], *arguments: Any, jobs: int, scheduler: str
) -> None:
    """Call `work(run, *arguments)` for every run, `jobs` at a time (-1: one per core).

    With the address of a Dask `scheduler`, its workers do it. Workers on this machine end with
    this process, whatever ends it. Raises ValueError as `backend` does.
    """
    with backend(scheduler):
        # A batch of one keeps all cores busy to the end.
        Parallel(n_jobs=jobs, batch_size=1, pre_dispatch="all")(
            delayed(_guarded)(os.getpid(), work, run, *arguments) for run in runs
        )


def results(
    work: Callable[..., Any], tasks: Iterable[Any], *arguments: Any, jobs: int
) -> Iterator[Any]:
    """What `work(task, *arguments)` returns for every task, in order, each as soon as it is there.

    Workers are as in `for_each`; those of Dask where this is called within `backend`.
    """
    parallel = Parallel(n_jobs=jobs, batch_size=1, pre_dispatch="all", return_as="generator")
    return parallel(delayed(_guarded)(os.getpid(), work, task, *arguments) for task in tasks)


def _guarded(owner: int, work: Callable[..., Any], *arguments: Any) -> Any:
    """`work(*arguments)`, in a worker that does not outlive the process `owner` if that is near.

    joblib's own workers would go on, and be in the way of what is started again: one that gets its
    first task when `owner` is gone ends at once. Those of Dask have other names and owners.
    """
    own = current_process().name.startswith("LokyProcess")
    if own and not any(t.name == _GUARD for t in threading.enumerate()):
        threading.Thread(target=_end_with, args=(owner,), name=_GUARD, daemon=True).start()
    return work(*arguments)


def _end_with(owner: int) -> None:
    while os.getppid() == owner:
        time.sleep(_LOOK)
    os._exit(1)


def backend(scheduler: str) -> Any:
    """A context in which joblib's work goes to a Dask scheduler, or stays here if there is none.

    Raises ValueError where Dask is not installed or does not answer.
    """
    if not scheduler:
        return nullcontext()
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("--scheduler needs Dask: pip install distributed") from None
    try:
        client = Client(scheduler, timeout="10s")
    except (OSError, TimeoutError, ValueError) as error:
        raise ValueError(f"no Dask scheduler at {scheduler}: {error}") from None
    return _on_cluster(client)


@contextmanager
def _on_cluster(client: Any) -> Iterator[None]:
    with client, parallel_config(backend="dask"):
        yield


@contextmanager
def progress(
    total: int,
    count: Callable[[], int],
    unit: str = "runs",
    remark: Callable[[], str] = str,
) -> Iterator[None]:
    """Show, while the block runs, how many of `total` are done by `count()`, and the time left.

    What `remark()` says, after each count, stands at the end of the line. Where standard error is
    no terminal the line is written anew every `LOGGED` seconds.
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
            counted = count()
            bar.update(task, completed=counted, remark=remark())

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
