# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Features of the motion that a candidate commands, by which candidates are compared.

Similar weights may command different motions, as phases drift apart during an evaluation.
Different weights may command the same motion. So a model that compares motions needs far fewer
evaluations than one that compares weights (a behaviour-based kernel: Wilson, Fern and Tadepalli,
2014). The features need the network only, neither a simulator nor a robot.
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

SAMPLING = 0.2  # s; joints oscillate below 1 Hz
REFERENCE = 256  # number of random candidates that scale the features

# glibc returns large arrays to the system, and gets them again page by page: a quarter of the
# time of a candidate. Once it has freed an array of nearly 32 MiB it keeps smaller ones.
np.empty(31 << 20, np.uint8)


class CommandedMotion:
    """Means and covariances of joint positions and velocities during an evaluation, and weights.

    For small swings, the distance that a robot moves in a period is proportional to the area that
    two joints enclose in the plane of their positions. This area is the antisymmetric part of the
    covariance of positions and velocities. The symmetric part depends only on the end of the
    motion and is left out.

    The weights are features, too, with the same total influence. They predict better what depends
    on every small turn on the way, as directed locomotion does.

    Positions are those of output "tanh" with gain 1, divided by half the range of the joint.

    Args:
        robot: the robot.
        duration: duration of an evaluation (s).
        weight_range: range of the CPG weights (1/s).
    """

    def __init__(
        self, robot: Robot, duration: float, weight_range: float = PUBLISHED_WEIGHT_RANGE
    ) -> None:
        self._robot = robot
        self._range = weight_range
        self._steps = math.ceil(duration / SAMPLING)
        dimension = len(robot.parameter_names)
        random = self._moments(np.random.default_rng(0).random((REFERENCE, dimension)))
        # Distances of features and of candidates then have the same size.
        self._unit = np.std(random, axis=0) * np.sqrt(12.0 * random.shape[1] / dimension)
        self._unit[self._unit < 1e-9] = np.inf  # rounding errors alone

    def __call__(self, parameters: Array) -> Array:
        """Return features, shape (m, k), of candidates in [0, 1]^d, shape (m, d).

        Raises ValueError if d is not the robot's number of parameters.
        """
        given, own = parameters.shape[1], len(self._robot.parameter_names)
        if given != own:
            raise ValueError(
                f"candidates have {given} parameters, but {self._robot.name} has {own}: give the "
                "features of the robot that learns"
            )
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
    """Return neurons at 0, SAMPLING, 2 SAMPLING, ..., (m, 2n, steps), of matrices (m, 2n, 2n)."""
    flow = expm(SAMPLING * matrix)
    states = np.empty((*matrix.shape[:2], steps))
    states[:, :, 0] = initial_state(matrix.shape[1] // 2)
    known = 1
    while known < steps:  # doubles the number of steps
        end = min(2 * known, steps)
        np.matmul(flow, states[:, :, : end - known], out=states[:, :, known:end])
        flow, known = flow @ flow, end
    return states


def _product(a: Array, b: Array) -> Array:
    """Return the mean over time of products of signals (m, n, t), shape (m, n, n)."""
    return a @ b.transpose(0, 2, 1) / a.shape[2]
