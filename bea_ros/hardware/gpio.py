# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pulses on the GPIO pins of a Raspberry Pi, made with gpiozero."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from bea_ros.hardware.errors import HardwareError

REMEDY = "apt install python3-gpiozero python3-lgpio, or pip install gpiozero lgpio"


class GpioOutputs:
    """PWM on BCM pins; raises HardwareError.

    `frequency` (Hz) is the nearest that the pins can make: pigpio has 40, 50 and 80 Hz. It times
    the pulses in hardware and needs its daemon. lgpio times them in software, so servos may
    tremble when the computer is busy.
    """

    remedy = "does another program use these pins?"

    def __init__(self, numbers: Sequence[int], frequency: float, pins: str = "auto") -> None:
        warnings.simplefilter("ignore")  # gpiozero warns of each missing library
        with contextlib.redirect_stdout(io.StringIO()):  # pigpio's help, without its daemon
            factory = _factory(pins)
        self.outlive = type(factory).__name__ == "PiGPIOFactory"  # its daemon makes the pulses
        self.recovers = not self.outlive  # its library never connects again
        from gpiozero import PWMOutputDevice
        from gpiozero.exc import PinPWMUnsupported

        try:
            self.devices: dict[int, Any] = {
                number: PWMOutputDevice(number, frequency=frequency, pin_factory=factory)
                for number in numbers
            }
            self.frequency = self.devices[numbers[0]].frequency  # pigpio's nearest
        except PinPWMUnsupported as error:  # gpiozero's last factory, without libraries
            raise HardwareError(
                f"no PWM on the GPIO pins: it takes lgpio or pigpio: {REMEDY}"
            ) from error
        except Exception as error:
            raise HardwareError(f"no PWM on the GPIO pins: {_line(error)}") from error
        self.pulses: dict[int, float] = {}

    def start(self) -> None:
        for device in self.devices.values():
            device.frequency = self.frequency  # so that a daemon has pulses to stop
            device.frequency = None
        self.pulses = {}

    def write(self, pulses: Mapping[int, float]) -> None:
        for number, device in self.devices.items():
            before, pulse = self.pulses.get(number), pulses.get(number)
            if pulse is None:
                device.frequency = None
            elif pulse != before:
                if before is None:
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
    """Return a pin factory; auto: chosen by gpiozero and GPIOZERO_PIN_FACTORY."""
    try:
        from gpiozero import Device
        from gpiozero.exc import BadPinFactory
    except ImportError as error:
        raise HardwareError(f"gpiozero is not installed: {REMEDY}") from error
    try:
        if pins == "mock":
            from gpiozero.pins.mock import MockFactory, MockPWMPin

            return MockFactory(pin_class=MockPWMPin)
        if pins == "pigpio":
            from gpiozero.pins.pigpio import PiGPIOFactory

            return PiGPIOFactory()
        # lgpio leaves a pipe in the working directory, and fails where it cannot, such as in one
        # that may not be written, or that has another user's.
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            if pins == "lgpio":
                from gpiozero.pins.lgpio import LGPIOFactory

                return with_exact_pulses(LGPIOFactory())
            Device.ensure_pin_factory()
            factory = Device.pin_factory
    except BadPinFactory as error:
        raise HardwareError(
            f"this machine has no GPIO pins, or no library for them: {REMEDY}"
        ) from error
    except ImportError as error:
        remedy = f"apt install python3-{error.name}, or pip install {error.name}"
        raise HardwareError(f"{error.name} is not installed: {remedy}") from error
    except Exception as error:  # each factory has its own exceptions
        chosen = os.environ.get("GPIOZERO_PIN_FACTORY", pins) if pins == "auto" else pins
        problem = f"pins {chosen}: {_line(error)}"
        if chosen == "pigpio":
            problem += "; is its daemon running? sudo systemctl start pigpiod"
        raise HardwareError(problem) from error
    return with_exact_pulses(factory) if type(factory).__name__ == "LGPIOFactory" else factory


def with_exact_pulses(factory: Any) -> Any:
    """Let a factory's lgpio pins use exact duty cycles, and be low once they have no pulses.

    gpiozero cuts duty cycles to whole per cent. One per cent is 200 us at 50 Hz, a fifth of a
    servo's range (gpiozero, issue 1209). lgpio stops a pulse half-way and leaves the pin high.
    """
    import lgpio
    from gpiozero.pins.lgpio import LGPIOPin

    class ExactPin(LGPIOPin):
        _pwm: Any  # frequency (Hz) and duty cycle (per cent), or None

        def _set_state(self, value: float) -> None:
            if not self._pwm:
                super()._set_state(value)
                return
            frequency, _ = self._pwm
            self._pwm = (frequency, 100.0 * value)
            lgpio.tx_pwm(self.factory._handle, self._number, *self._pwm)

        def _set_frequency(self, value: float | None) -> None:
            had_pulses = self._pwm is not None
            super()._set_frequency(value)
            if had_pulses and self._pwm is None:
                lgpio.gpio_write(self.factory._handle, self._number, 0)

    factory.pin_class = ExactPin
    return factory


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
