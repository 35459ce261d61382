# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Time efficiency: gain in fitness per second of computation (paper, section III).

The paper prints c_(k,i) = c_i - c_k for the computation time between iterations k and i. But c_i
is the time of one iteration, so this is no duration. It is read as t_i - t_k. Also printed is
f'_i = max{f_i, 1 <= i <= N}, the best of all; it is read as the text, the best until iteration i.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.record import Record

Array = NDArray[np.float64]

WINDOW = 10  # iterations: k + 10 = i in the paper


@dataclass(frozen=True)
class TimeEfficiency:
    """Gain and computation time of a run, per iteration.

    Attributes:
        fitness: f_i, shape (n,).
        evaluation_time: t^e_i in s, shape (n,).
        overhead_time: t^o_i in s, shape (n,).
    """

    fitness: Array
    evaluation_time: Array
    overhead_time: Array

    @classmethod
    def of(cls, history: Iterable[Record], evaluation_time: float | None = None) -> TimeEfficiency:
        """Return the time efficiency of a history, with its own or an assumed evaluation time (s).

        Raises:
            ValueError: an evaluation has no time, and none is assumed.
        """
        records = list(history)
        times = [
            record.evaluation_time if evaluation_time is None else evaluation_time
            for record in records
        ]
        if any(time is None for time in times):
            raise ValueError("evaluation times were not told: assume one with evaluation_time=")
        return cls(
            np.array([record.fitness for record in records], dtype=np.float64),
            np.array(times, dtype=np.float64),
            np.array([record.overhead_time for record in records], dtype=np.float64),
        )

    @property
    def best(self) -> Array:
        """f'_i, the best fitness so far, shape (n,)."""
        return np.maximum.accumulate(self.fitness)

    @property
    def computation_time(self) -> Array:
        """c_i = t^e_i + t^o_i in s, shape (n,)."""
        return self.evaluation_time + self.overhead_time

    @property
    def time_stamps(self) -> Array:
        """t_i in s, the end of iteration i, shape (n,)."""
        return np.cumsum(self.computation_time)

    def gain_per_second(self, window: int = WINDOW) -> Array:
        """G_(k,i) = (f'_i - f'_k) / (t_i - t_k) with k = i - window, shape (n - window,) or empty.

        See `efficiency`.
        """
        return efficiency(self.best, self.time_stamps, window)


def efficiency(best: Array, time_stamps: Array, window: int) -> Array:
    """Gain per second between points `window` apart, shape (n - window,) or empty.

    `best` is the best fitness so far, and `time_stamps` (s) its times, both of shape (n,). The
    result is 0 without gain, and infinite for a gain in no time.
    """
    if window < 1:
        raise ValueError(f"window={window}: at least 1 iteration is expected")
    gain, cost = (values[window:] - values[:-window] for values in (best, time_stamps))
    free = np.where(gain > 0.0, np.inf, 0.0)
    return np.divide(gain, cost, out=free, where=cost > 0.0)
