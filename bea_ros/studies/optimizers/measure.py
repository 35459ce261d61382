# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One run of one method in its own process, with its peak memory.

python -m bea_ros.studies.optimizers.measure RUN FOLDER
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bea_ros.studies.engine import plan
from bea_ros.studies.functions import problems
from bea_ros.studies.optimizers.methods import minimise

clock = time.process_time  # does not count other processes
OVERHEAD_AT = (50, 100, 300, 1500)  # evaluations n
WINDOW = 50  # evaluations up to n for the mean overhead at n
CUT = "cut after"  # how the reason begins why a run is not whole, if that is its time limit
GRACE = 60.0  # a run is killed this many s after ten times its limit
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Run(plan.Run):
    """A run: method, function and their settings; `limit` is in CPU s."""

    KEY: ClassVar = ("function", "method", "seed")

    method: str
    function: str
    seed: int
    dimension: int
    evaluations: int
    limit: float


class Enough(BaseException):
    """Ends a run. It is not an Exception, so that peers do not catch it."""


class Recorder:
    """Measures the CPU time between evaluations, and ends the run.

    Attributes:
        f: values so far, one per evaluation.
        overhead: CPU time (s) before each evaluation. The first includes imports and set-up.
        ends: time at the end of each evaluation, in evaluation times.
        ended: whether the run is at its end.
    """

    def __init__(
        self,
        function: Callable[[ArrayLike], float],
        evaluations: int,
        evaluation_time: float = math.inf,
    ) -> None:
        """Set up for the time of `evaluations` that take `evaluation_time` (s) each."""
        self.f: list[float] = []
        self.overhead: list[float] = []
        self.ends: list[float] = []
        self.ended = False
        self._function, self._evaluations = function, evaluations
        self._evaluation_time, self._spent = evaluation_time, 0.0
        self._since = clock()

    def __call__(self, x: ArrayLike) -> float:
        """f at x (minimised); raises Enough when the time is over."""
        self.overhead.append(clock() - self._since)
        if self.f:
            self._spent += self.overhead[-1]
        end = len(self.f) + 1 + self._spent / self._evaluation_time
        self._end_if(end > self._evaluations)
        point = np.asarray(x, dtype=np.float64)
        if not np.all((point >= -1e-9) & (point <= 1.0 + 1e-9)):
            raise ValueError("the candidate is outside [0, 1]^d")
        self.f.append(-self._function(point))
        self.ends.append(end)
        self._end_if(end + 1 > self._evaluations)
        self._since = clock()
        return self.f[-1]

    def _end_if(self, over: bool) -> None:
        if over:
            self.ended = True
            raise Enough


def within(limit: float, search: Callable[[], None]) -> str:
    """Run `search` to its end or for `limit` CPU s; returns its error as text, or ""."""
    signal.signal(signal.SIGPROF, _out_of_time)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        search()
    except Enough:
        pass
    except Exception as failure:
        return f"{type(failure).__name__}: {failure}".splitlines()[0]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    return ""


def _out_of_time(*_: object) -> None:
    raise Enough


def carry_out(run: Run) -> dict[str, Any]:
    """Carry out a run until its end, time limit or error; returns its `summary`."""
    function = problems.create(run.function, run.dimension, run.seed)
    recorder = Recorder(function, run.evaluations)

    def search() -> None:
        size = run.dimension, run.evaluations
        minimise(run.method, recorder, *size, run.seed, run.function)

    error = within(run.limit, search)
    return {**asdict(run), **summary(recorder.f, recorder.overhead), "error": error}


def summary(f: list[float], overhead: list[float]) -> dict[str, Any]:
    """Evaluations, best f after each, overhead per evaluation and in total, peak memory."""
    n = len(f)
    ends = [at for at in OVERHEAD_AT if at <= n]
    means = {str(at): float(np.mean(overhead[max(at - WINDOW, 1) : at])) for at in ends}
    return {
        "n": n,
        "best": np.minimum.accumulate(f).tolist(),
        "overhead": means,
        "total": float(sum(overhead[1:n])),
        "peak_mib": peak_memory() / 2**20,
    }


def peak_memory() -> int:
    """Peak resident memory of this process so far (bytes)."""
    status = Path("/proc/self/status").read_text()  # ru_maxrss starts with the parent's peak
    (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return 1024 * int(peak)


def execute(run: Run, folder: Path) -> None:
    """Carry out a run, unless `folder` has its file.

    It has its own process, so that its memory can be measured.
    """
    if run.path(folder).exists():
        return
    command = [sys.executable, "-m", __name__, json.dumps(asdict(run)), str(folder)]
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
    try:
        ended = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False,
            timeout=10 * run.limit + GRACE,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"{run.name}: killed, as it did not end at its limit", file=sys.stderr)
        return
    if not run.path(folder).exists():
        last = (ended.stderr.strip().splitlines() or ["no output"])[-1]
        print(f"{run.name}: {last}", file=sys.stderr)


if __name__ == "__main__":
    asked = Run(**json.loads(sys.argv[1]))
    asked.write(Path(sys.argv[2]), carry_out(asked))
