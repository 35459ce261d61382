# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Central pattern generator: a network of linear oscillators, one per joint.

Revolve, DifferentialCPG.cpp: joint i has two neurons A and B with dA/dt = -w B and dB/dt = w A,
and a coupling v of joints i < j adds dA_j/dt += v A_i and dA_i/dt -= v A_j. The matrix is
skew-symmetric, so its flow is a rotation. It is evaluated in closed form, as a function of the
time since the candidate started. So amplitudes do not grow, and errors do not accumulate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bea_ros.robots.description import Joint, Robot
from bea_ros.robots.motors import REVOLVE_GAIN, REVOLVE_VELOCITY, check_motor

INITIAL_A, INITIAL_B = 0.707, -0.707
OUTPUTS = ("tanh", "clip")
PUBLISHED_WEIGHT_RANGE = 1.5  # Revolve's range_ub of these robots
LARGEST_WEIGHT = 100.0  # 1/s; a joint would oscillate at 16 Hz
PUBLISHED_SIGNAL_FACTOR = 4.0  # Revolve's signal_factor_all of these robots
USUAL_GAIN = 1.0  # steepness of the tanh output
CLIP_MARGIN = 1e-5  # Revolve, PositionMotor.cpp

Vector = NDArray[np.float64]


def output_of(profile: str) -> str:
    """CPG output of an optimizer's profile: "tanh" for the default, else the published "clip"."""
    return "tanh" if profile == "default" else "clip"


def settings_of(robot: Robot, motor: str, output: str, gain: float) -> str:
    """Return the controller's settings that decide, with the weights, what the joints do."""
    return f"robot {robot.check}, motor {motor}, output {output}, gain {gain:g}"


def skew_matrix(own: Vector, couplings: Sequence[tuple[int, int]], weights: Vector) -> Vector:
    """Return the matrix M of dx/dt = M x with x = (A_1..A_n, B_1..B_n), shape (..., 2n, 2n).

    Args:
        own: the joints' own weights (1/s), shape (..., n).
        couplings: pairs of joints.
        weights: weights of the couplings (1/s), shape (..., c).
    """
    n = own.shape[-1]
    matrix = np.zeros((*own.shape[:-1], 2 * n, 2 * n))
    joints = np.arange(n)
    matrix[..., n + joints, joints] = own
    for k, (i, j) in enumerate(couplings):
        matrix[..., j, i] += weights[..., k]
    return matrix - np.swapaxes(matrix, -1, -2)


def initial_state(joints: int) -> Vector:
    """Return neurons A_1..A_n, B_1..B_n at the start of a candidate, shape (2 n,)."""
    return np.repeat([INITIAL_A, INITIAL_B], joints)


def to_weights(parameters: Vector, weight_range: float) -> Vector:
    """Map parameters in [0, 1] to weights in [-weight_range, weight_range] (1/s)."""
    return weight_range * (2.0 * parameters - 1.0)


def from_weights(weights: Vector, weight_range: float) -> Vector:
    """Map weights (1/s) to parameters in [0, 1]: the inverse of `to_weights`."""
    return (weights / weight_range + 1.0) / 2.0


class CpgNetwork:
    """The network of one candidate.

    `parameters` in [0, 1]^n, in the order of `Robot.parameter_names`, are mapped to weights in
    [-weight_range, weight_range] (1/s). Scaling the range scales all frequencies.

    The output of a joint lies within its limits. "tanh" is centre + (upper - lower) / 2 *
    tanh(gain * A). "clip" is Revolve's lower + clip(4 tanh(A), 1e-5, 0.99999) * (upper - lower),
    with 2.718 for e.

    Raises:
        ValueError: the number of parameters is wrong, one is outside [0, 1], or the output is
            unknown.
    """

    def __init__(
        self,
        robot: Robot,
        parameters: Sequence[float] | Vector,
        weight_range: float = PUBLISHED_WEIGHT_RANGE,
        output: str = "tanh",
        gain: float = 1.0,
    ) -> None:
        values = np.asarray(parameters, dtype=float)
        names = robot.parameter_names
        if values.shape != (len(names),):
            raise ValueError(f"{robot.name} has {len(names)} CPG parameters, not {values.size}")
        if not ((values >= 0) & (values <= 1)).all():
            wrong = names[int(np.argmin((values >= 0) & (values <= 1)))]
            raise ValueError(f"CPG parameter {wrong} is outside [0, 1]")
        self._build(robot, to_weights(values, weight_range), output, gain)

    @classmethod
    def from_weights(
        cls,
        robot: Robot,
        weights: Mapping[str, float],
        output: str = "tanh",
        gain: float = 1.0,
    ) -> CpgNetwork:
        """Return the network with the weights (1/s) by name that the learner publishes.

        Raises ValueError if a name is missing or unknown, or a weight exceeds LARGEST_WEIGHT.
        """
        names = robot.parameter_names
        for name in [*weights, *names]:
            if name not in weights or name not in names:
                kind = "no" if name in names else "an unknown"
                raise ValueError(f"{robot.name}: {kind} CPG parameter {name!r}")
            if not abs(weights[name]) <= LARGEST_WEIGHT:
                raise ValueError(
                    f"CPG parameter {name} is {weights[name]}, not within +-{LARGEST_WEIGHT:g}"
                )
        network = cls.__new__(cls)
        network._build(robot, np.array([weights[name] for name in names]), output, gain)
        return network

    def _build(self, robot: Robot, weights: Vector, output: str, gain: float) -> None:
        if output not in OUTPUTS:
            raise ValueError(f"CPG output {output!r} is not one of {', '.join(OUTPUTS)}")
        n = len(robot.joints)
        self.matrix = skew_matrix(weights[:n], robot.couplings, weights[n:])
        self._output = output
        self._gain = gain
        self._lower = np.array([joint.lower for joint in robot.joints])
        self._upper = np.array([joint.upper for joint in robot.joints])
        # M = V diag(i f) V^H with real f, because -i M is Hermitian.
        frequencies, vectors = np.linalg.eigh(-1j * self.matrix)
        self._frequencies = frequencies
        self._modes = vectors * (vectors.conj().T @ initial_state(n))

    def state(self, time: ArrayLike) -> Vector:
        """Neurons A_1..A_n, B_1..B_n, shape (..., 2 n), at times (s), shape (...).

        Time counts from the candidate's start.
        """
        turned = np.exp(1j * self._frequencies * np.asarray(time)[..., None])
        return (self._modes @ turned[..., None])[..., 0].real

    def output(self, time: ArrayLike) -> Vector:
        """Joint targets (rad), shape (..., n), at times (s), shape (...)."""
        a = self.state(time)[..., : len(self._lower)]
        span = self._upper - self._lower
        if self._output == "clip":
            signal = PUBLISHED_SIGNAL_FACTOR * (2.0 / (1.0 + 2.718 ** (-2.0 * a)) - 1.0)
            return self._lower + np.clip(signal, CLIP_MARGIN, 1.0 - CLIP_MARGIN) * span
        return self._lower + span * (0.5 + 0.5 * np.tanh(self._gain * a))


class CommandLimiter:
    """Keeps joint commands within the limits of position and velocity.

    With motor "revolve" the motor limits the velocity, so its commands may jump, as published. If
    servos drive the joints instead (`shaped`), the commands move as that motor would.
    """

    def __init__(
        self, joints: Sequence[Joint], motor: str = "servo", shaped: bool = False
    ) -> None:
        self._lower = np.array([joint.lower for joint in joints])
        self._upper = np.array([joint.upper for joint in joints])
        self._shaped = shaped and check_motor(motor) == "revolve"
        self._velocity = np.array([joint.velocity for joint in joints])
        if self._shaped:
            self._velocity = np.minimum(self._velocity, REVOLVE_VELOCITY)
        elif check_motor(motor) == "revolve":
            self._velocity[:] = np.inf
        self.neutral: Vector = (self._lower + self._upper) / 2.0
        self.reset()

    def reset(self, command: Vector | None = None) -> None:
        """Start from a command (rad), shape (n,), by default the neutral pose."""
        start = self.neutral if command is None else np.asarray(command, dtype=float)
        self.command: Vector = np.clip(start, self._lower, self._upper)

    def limit(self, targets: Vector, period: float, direct: bool = False) -> Vector:
        """Return the allowed command nearest to `targets` (rad), shape (n,).

        It comes `period` (s) after the last one. A joint whose target is not finite keeps its last
        command. If `direct`, shaped commands also move at the velocity limit.
        """
        wanted = np.where(np.isfinite(targets), targets, self.command)
        if self._shaped and not direct:
            wanted = self.command + REVOLVE_GAIN * (wanted - self.command) * period
        step = self._velocity * period
        # Faster than np.clip, which mostly checks its arguments.
        limited = np.minimum(np.maximum(wanted, self.command - step), self.command + step)
        self.command = np.minimum(np.maximum(limited, self._lower), self._upper)
        return self.command.copy()
