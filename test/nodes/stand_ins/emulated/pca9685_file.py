# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A PCA9685 in a file, behind the ioctl calls of the kernel's /dev/i2c-N (i2c-dev.h).

The file's first 256 bytes are the chip's registers (NXP, PCA9685 rev. 4, table 4); the next ones
inject faults. What it puts out after each message is a line of JSON in the file with .log behind:
pulses in us, null for a channel without.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import struct
import time
from pathlib import Path
from typing import Any

I2C_FUNCS, I2C_SLAVE, I2C_RDWR, I2C_SMBUS = 0x0705, 0x0703, 0x0707, 0x0720
ADDRESS = 0x40
MODE1, MODE2, LED0, ALL_ON_LOW, ALL_OFF_HIGH, PRESCALE = 0x00, 0x01, 0x06, 0xFA, 0xFD, 0xFE
SLEEP, AUTO_INCREMENT = 0x10, 0x20
NACKS, HANGING = 256, 257  # bytes: messages to refuse yet, 255 for all; a transfer never ends
SIZE = 512


class Chip:
    """The chip in a file; several processes may hold it."""

    def __init__(self, memory: mmap.mmap, log: Path) -> None:
        self.memory = memory
        self.log = log

    @classmethod
    def make(cls, path: Path) -> Chip:
        """A new one, as after power was switched on."""
        path.write_bytes(bytes(SIZE))
        with path.open("r+b") as file:
            chip = cls(mmap.mmap(file.fileno(), SIZE), path.with_name(path.name + ".log"))
        chip.log.touch()
        chip.power_on()
        return chip

    def power_on(self) -> None:
        """Every register as after a reset: asleep, all channels off."""
        self.memory[:256] = bytes(256)
        self.memory[MODE1], self.memory[MODE2], self.memory[PRESCALE] = 0x11, 0x04, 0x1E
        for channel in range(16):
            self.memory[LED0 + 4 * channel + 3] = 0x10

    def pulses(self) -> list[float | None]:
        """What the 16 channels put out, in us."""
        tick = (self.memory[PRESCALE] + 1) / 25.0
        counts = struct.unpack("<32H", self.memory[LED0 : LED0 + 64])
        awake = not self.memory[MODE1] & SLEEP
        return [
            (off - on) * tick if awake and not off & 0x1000 else None
            for on, off in zip(counts[::2], counts[1::2], strict=True)
        ]

    def history(self) -> list[list[float | None]]:
        """What they put out after each message, as far as its line is written."""
        return [json.loads(line) for line in self.log.read_text().split("\n")[:-1]]

    def transfer(self, address: int) -> None:
        """What happens on the bus at the start of each message; raises OSError for a NACK."""
        while self.memory[HANGING]:
            time.sleep(0.005)
        if self.memory[NACKS] or address != ADDRESS:
            self.memory[NACKS] -= 0 < self.memory[NACKS] < 255
            raise OSError(errno.EREMOTEIO, os.strerror(errno.EREMOTEIO))

    def write(self, register: int, data: bytes) -> None:
        step = 1 if self.memory[MODE1] & AUTO_INCREMENT else 0
        for i, value in enumerate(data):
            self._set(register + i * step, value)
        with self.log.open("a") as log:
            log.write(json.dumps(self.pulses()) + "\n")

    def _set(self, register: int, value: int) -> None:
        if register == PRESCALE and not self.memory[MODE1] & SLEEP:
            return  # is blocked while the oscillator runs
        if ALL_ON_LOW <= register <= ALL_OFF_HIGH:
            for channel in range(16):
                self.memory[LED0 + 4 * channel + register - ALL_ON_LOW] = value
        else:
            self.memory[register] = value


def ioctl(fd: int, request: int, argument: Any) -> int:
    """ioctl(2) of the file of a chip, as far as smbus2 uses it."""
    if request == I2C_FUNCS:
        argument.value = 0xFFFFFFFF
        return 0
    path = Path(os.readlink(f"/proc/self/fd/{fd}"))
    chip = Chip(mmap.mmap(fd, SIZE), path.with_name(path.name + ".log"))
    if request == I2C_SLAVE:
        addresses[fd] = int(argument)
    elif request == I2C_SMBUS:
        chip.transfer(addresses[fd])
        message = argument
        assert message.size == 2  # byte data
        if message.read_write:
            message.data.contents.byte = chip.memory[message.command]
        else:
            value = message.data.contents.byte
            chip.write(message.command, bytes([value]))
    elif request == I2C_RDWR:
        for i in range(argument.nmsgs):
            message = argument.msgs[i]
            assert message.flags == 0  # a write
            chip.transfer(message.addr)
            register, *data = ctypes.string_at(message.buf, message.len)
            chip.write(register, bytes(data))
    else:
        raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))
    return 0


addresses: dict[int, int] = {}
