# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a candidate commands its joints to do, as numbers that candidates are compared by.

Weights that differ little may command quite different motions, since phases drift apart over an
evaluation, and weights far apart may command the same. So a model that compares motions learns
from far fewer evaluations than one that compares weights (a behaviour-based kernel: Wilson, Fern
and Tadepalli, 2014). It needs the network alone, neither a simulator nor the real robot.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from bea_ros.robots.cpg import (
    PUBLISHED_WEIGHT_RANGE,
    initial_state,
    skew_matrix,
    to_weights,
)
from bea_ros.robots.description import Robot

Array = NDArray[np.float64]

SAMPLING = 0.2  # s; joints swing less than once a second
REFERENCE = 256  # random candidates that features are scaled by


class CommandedMotion:
    """Mean, and covariance with each other, of joint positions and velocities over an evaluation.

    How far a robot moves in a period goes, for small swings, with the area that two joints enclose
    in the plane of their positions: that is the antisymmetric part of the covariance of positions
    with velocities. Its symmetric part says how the motion ends, not how it is, and is left out.

    The weights follow, in equal parts: what depends on every small turn on the way, as directed
    locomotion does, they tell better.

    Positions are those of output "tanh" with gain 1, in half ranges.

    Args:
        robot: whose joints.
        duration: of an evaluation (s).
        weight_range: of the CPG weights (1/s).
    """

    def __init__(
        self, robot: Robot, duration: float, weight_range: float = PUBLISHED_WEIGHT_RANGE
    ) -> None:
        self._robot = robot
        self._range = weight_range
        self._steps = math.ceil(duration / SAMPLING)
        dimension = len(robot.parameter_names)
        random = self._moments(np.random.default_rng(0).random((REFERENCE, dimension)))
        # Features of random candidates are then as far apart as the candidates themselves.
        self._unit = np.std(random, axis=0) * np.sqrt(12.0 * random.shape[1] / dimension)
        self._unit[self._unit == 0.0] = np.inf

    def __call__(self, parameters: Array) -> Array:
        """Features of candidates in [0, 1]^d, shape (m, d), as shape (m, k)."""
        return np.hstack([self._moments(parameters) / self._unit, parameters]) / np.sqrt(2.0)

    def _moments(self, parameters: Array) -> Array:
        n = len(self._robot.joints)
        weights = to_weights(parameters, self._range)
        matrix = skew_matrix(weights[:, :n], self._robot.couplings, weights[:, n:])
        states = _states(matrix, self._steps)
        position = np.tanh(states[:, :n])
        velocity = (1.0 - position**2) * (matrix[:, :n] @ states)
        mean = position.mean(axis=2)
        centred = position - mean[:, :, None]
        upper, above = np.triu_indices(n), np.triu_indices(n, 1)
        enclosed = _product(centred, velocity)
        return np.hstack(
            [
                mean,
                _product(centred, centred)[:, *upper],
                _product(velocity, velocity)[:, *upper],
                (enclosed - enclosed.transpose(0, 2, 1))[:, *above],
            ]
        )


def _states(matrix: Array, steps: int) -> Array:
    """Neurons at 0, SAMPLING, 2 SAMPLING, ..., shape (m, 2n, steps), of networks (m, 2n, 2n)."""
    flow = expm(SAMPLING * matrix)
    states = np.tile(initial_state(matrix.shape[1] // 2)[:, None], (len(matrix), 1, 1))
    while states.shape[2] < steps:  # all that are known, moved on by as many steps
        states = np.concatenate([states, flow @ states], axis=2)
        flow = flow @ flow
    return states[:, :, :steps]


def _product(a: Array, b: Array) -> Array:
    """Mean over time of the products of signals (m, n, t), shape (m, n, n)."""
    return a @ b.transpose(0, 2, 1) / a.shape[2]
