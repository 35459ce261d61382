# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pulses on the GPIO pins of a Raspberry Pi, by gpiozero."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from bea_ros.hardware.outputs import HardwareError

REMEDY = "pip install 'bea_ros[hardware]', or apt install python3-gpiozero python3-lgpio"


class GpioOutputs:
    """PWM on BCM pins, `frequency` in Hz.

    pigpio has its pulses timed by the hardware and needs its daemon; lgpio times them in software,
    so that servos may tremble under load.
    """

    def __init__(self, numbers: Sequence[int], frequency: float, pins: str = "auto") -> None:
        self.frequency = frequency
        warnings.simplefilter("ignore")  # of each library that is not there, before the error
        factory = _factory(pins)
        from gpiozero import PWMOutputDevice
        from gpiozero.exc import BadPinFactory

        try:
            self.devices: dict[int, Any] = {
                number: PWMOutputDevice(number, frequency=frequency, pin_factory=factory)
                for number in numbers
            }
        except BadPinFactory as error:
            raise HardwareError(
                f"this machine has no GPIO pins, or no library for them: {REMEDY}"
            ) from error
        except Exception as error:  # each factory has exceptions of its own
            raise HardwareError(f"no PWM on the GPIO pins: {_line(error)}") from error
        self.pulses: dict[int, float] = {}

    def start(self) -> None:
        for device in self.devices.values():
            device.frequency = self.frequency  # so that a daemon has something to stop
            device.frequency = None
        self.pulses = {}

    def write(self, pulses: Mapping[int, float]) -> None:
        for number, device in self.devices.items():
            pulse = pulses.get(number)
            if pulse is None:
                device.frequency = None
            elif pulse != self.pulses.get(number):
                if number not in self.pulses:
                    device.frequency = self.frequency
                device.value = pulse * 1e-6 * self.frequency
        self.pulses = dict(pulses)

    def relax(self) -> None:
        self.write({})

    def __str__(self) -> str:
        return "GPIO pins"

    def close(self) -> None:
        for device in self.devices.values():
            device.close()


def _factory(pins: str) -> Any:
    """A pin factory; None leaves the choice to gpiozero and its GPIOZERO_PIN_FACTORY."""
    try:
        import gpiozero  # noqa: F401

        if pins == "mock":
            from gpiozero.pins.mock import MockFactory, MockPWMPin

            return MockFactory(pin_class=MockPWMPin)
        if pins == "pigpio":
            from gpiozero.pins.pigpio import PiGPIOFactory

            return PiGPIOFactory()
        if pins == "lgpio":
            from gpiozero.pins.lgpio import LGPIOFactory

            return LGPIOFactory()
    except ImportError as error:
        raise HardwareError(f"{error.name or 'gpiozero'} is not installed: {REMEDY}") from error
    except Exception as error:
        raise HardwareError(f"pins {pins}: {_line(error)}") from error
    return None


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
