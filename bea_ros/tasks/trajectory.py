# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The path of a robot on the floor, as the tasks see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Poses of base_link in the map frame: t (s, from the start of the evaluation, increasing), x,
    y (m), yaw (rad).

    All four are float arrays of one length. Raises ValueError for fewer than two poses, for values
    that are not finite, and for times that do not increase.
    """

    t: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    yaw: NDArray[np.float64]

    def __init__(self, t: ArrayLike, x: ArrayLike, y: ArrayLike, yaw: ArrayLike) -> None:
        for name, values in (("t", t), ("x", x), ("y", y), ("yaw", yaw)):
            object.__setattr__(self, name, np.asarray(values, dtype=float))
        if not self.t.shape == self.x.shape == self.y.shape == self.yaw.shape or self.t.ndim != 1:
            raise ValueError("a trajectory needs t, x, y and yaw of one length")
        if self.t.size < 2:
            raise ValueError(f"a trajectory needs at least 2 poses, got {self.t.size}")
        if not all(np.isfinite(v).all() for v in (self.t, self.x, self.y, self.yaw)):
            raise ValueError("a trajectory's poses must be finite")
        if not (np.diff(self.t) > 0).all():
            raise ValueError("a trajectory's times must increase")

    @classmethod
    def standing(cls, duration: float) -> Trajectory:
        """The trajectory of a robot that does not move for `duration` (s)."""
        return cls([0.0, duration], [0.0] * 2, [0.0] * 2, [0.0] * 2)

    @property
    def poses(self) -> NDArray[np.float64]:
        """Rows of t (s), x, y (m) and yaw (rad), (n, 4)."""
        return np.column_stack([self.t, self.x, self.y, self.yaw])

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions on the floor, (n, 2), m."""
        return np.column_stack([self.x, self.y])

    def chords(self, count: int) -> Trajectory:
        """The poses about every 1/count of the duration, as the published code stores them."""
        wanted = np.linspace(self.t[0], self.t[-1], count + 1)
        kept = np.unique(np.abs(self.t[None, :] - wanted[:, None]).argmin(axis=1))
        return Trajectory(self.t[kept], self.x[kept], self.y[kept], self.yaw[kept])
