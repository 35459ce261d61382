# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What makes the pulses: GPIO pins or a PCA9685, behind one interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

PINS = ("auto", "lgpio", "pigpio", "mock")  # pin factories of gpiozero


class Outputs(Protocol):
    """Pulses on numbered outputs. Any method but `close` may raise whatever its library does.

    `remedy` says what to look at when the hardware cannot be reached. Pulses that `outlive` their
    process go on when that is killed.
    """

    remedy: str
    outlive: bool

    def start(self) -> None:
        """Stop all pulses, whatever made them, and be ready to make others."""

    def write(self, pulses: Mapping[int, float]) -> None:
        """From the next period on, pulses of this many us; outputs not named have none."""

    def relax(self) -> None:
        """Stop all pulses."""

    def close(self) -> None:
        """Leave the hardware; pulses have been stopped before."""


def make_outputs(board: Mapping[str, Any], pins: str, numbers: Sequence[int]) -> Outputs:
    """The outputs of a board (see `Servos.board`), not started yet; raises HardwareError.

    `pins` is the pin factory of gpiozero; mock pins stand in for any board.
    """
    if board["driver"] == "gpio" or pins == "mock":
        from bea_ros.hardware.gpio import GpioOutputs

        return GpioOutputs(numbers, board["frequency"], pins)
    from bea_ros.hardware.pca9685 import Pca9685

    return Pca9685(board["bus"], board["address"], board["frequency"], board["oscillator"])
