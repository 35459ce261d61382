# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The common interface of the sources of pulses: GPIO pins and PCA9685."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

PINS = ("auto", "lgpio", "pigpio", "mock")  # pin factories of gpiozero


class Outputs(Protocol):
    """Pulses on numbered outputs. All methods but `close` may raise their library's exceptions.

    `remedy` says what to check if the hardware cannot be reached. With `outlive`, pulses continue
    if their process is killed. With `recovers`, `start` can mend a failure; else it takes a new
    process.
    """

    remedy: str
    outlive: bool
    recovers: bool

    def start(self) -> None:
        """Stop all pulses, also those of other processes, and get ready for new ones."""

    def write(self, pulses: Mapping[int, float]) -> None:
        """Set pulses (us) by output, from the next period on; outputs not named have none."""

    def relax(self) -> None:
        """Stop all pulses."""

    def close(self) -> None:
        """Release the hardware; pulses have been stopped before."""


def make_outputs(board: Mapping[str, Any], pins: str, numbers: Sequence[int]) -> Outputs:
    """Return the outputs of a board (see `Servos.board`), not started; raises HardwareError.

    `pins` is the pin factory of gpiozero; mock pins stand in for any board.
    """
    if board["driver"] == "gpio" or pins == "mock":
        from bea_ros.hardware.gpio import GpioOutputs

        return GpioOutputs(numbers, board["frequency"], pins)
    from bea_ros.hardware.pca9685 import Pca9685

    return Pca9685(board["bus"], board["address"], board["frequency"], board["oscillator"])
