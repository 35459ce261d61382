# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pulses of a PCA9685, 16 channels over I2C (NXP, PCA9685 rev. 4), through smbus2.

adafruit-circuitpython-pca9685 is not used: it needs Blinka, which must know the computer's board,
is not in apt or rosdep, and brings a dozen packages. It also cannot stop all channels at once.
smbus2 uses the kernel's own interface to the bus.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Mapping

from bea_ros.hardware.errors import HardwareError

MODE1, MODE2, LED0, ALL_OFF_HIGH, PRESCALE = 0x00, 0x01, 0x06, 0xFD, 0xFE  # registers
AUTO_INCREMENT, SLEEP = 0x20, 0x10  # bits of MODE1
TOTEM_POLE = 0x04  # MODE2: outputs driven high and low
FULL_OFF = 0x1000  # a channel's OFF: no pulse at all
CHANNELS, TICKS = 16, 4096
WAKING = 0.0005  # s that the oscillator needs (data sheet, 7.3.1.1)
REMEDY = "pip install smbus2, or apt install python3-smbus2"


class Pca9685:
    """A PCA9685 at an address of an I2C bus (number, or path of its device); raises HardwareError.

    `frequency` (Hz) is as exact as the prescaler allows. Pulses consist of ticks of
    (prescale + 1) / `oscillator` s, with `oscillator` in Hz: 4.88 us at 50 Hz.
    """

    outlive = recovers = True

    def __init__(self, bus: int | str, address: int, frequency: float, oscillator: float) -> None:
        try:
            from smbus2 import SMBus, i2c_msg
        except ImportError as error:
            raise HardwareError(f"smbus2 is not installed: {REMEDY}") from error
        try:
            self.bus = SMBus(bus)
        except OSError as error:
            raise HardwareError(
                f"I2C bus {bus} cannot be opened: {error.strerror}; "
                "raspi-config, or dtparam=i2c_arm=on in /boot/firmware/config.txt, switches I2C "
                "on; group i2c may use it"
            ) from error
        self.name = bus
        number = str(bus).removeprefix("/dev/i2c-")
        self.remedy = (
            "check its wiring, its supply and `address:` in the file of servos; "
            f"what answers is shown by i2cdetect -y {number}"
        )
        self.message = i2c_msg.write
        self.address = address
        self.prescale = round(oscillator / (TICKS * frequency)) - 1
        self.tick = (self.prescale + 1) / oscillator * 1e6  # us

    def start(self) -> None:
        self.bus.close()  # of an adapter that was unplugged and is there again
        self.bus.open(self.name)
        self.relax()
        self._set(MODE1, SLEEP)  # the prescaler can only be set while asleep
        self._set(PRESCALE, self.prescale)
        self._set(MODE2, TOTEM_POLE)
        self._set(MODE1, AUTO_INCREMENT)
        time.sleep(WAKING)
        self.relax()
        if (self._get(PRESCALE), self._get(MODE2)) != (self.prescale, TOTEM_POLE):
            raise OSError("the device at this address is not a PCA9685")
        self._check_awake()

    def write(self, pulses: Mapping[int, float]) -> None:
        counts = [FULL_OFF] * CHANNELS
        for channel, pulse in pulses.items():
            counts[channel] = round(pulse / self.tick)
        on_and_off = [count for off in counts for count in (0, off)]
        data = struct.pack(f"<{2 * CHANNELS}H", *on_and_off)
        # One message: all outputs change together at its end.
        self.bus.i2c_rdwr(self.message(self.address, [LED0, *data]))
        self._check_awake()

    def relax(self) -> None:
        self._set(ALL_OFF_HIGH, FULL_OFF >> 8)

    def close(self) -> None:
        self.bus.close()

    def _check_awake(self) -> None:
        """Raise OSError after a power failure: a reset board makes no pulses."""
        if self._get(MODE1) & SLEEP:
            raise OSError("the board was reset: its power failed for a moment")

    def _set(self, register: int, value: int) -> None:
        self.bus.write_byte_data(self.address, register, value)

    def _get(self, register: int) -> int:
        return int(self.bus.read_byte_data(self.address, register))

    def __str__(self) -> str:
        return f"PCA9685 at {self.address:#04x} of I2C bus {self.name}"
