# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Makes hardware of files, in every Python process that has this folder on its PYTHONPATH.

The kernel's side of I2C is a PCA9685 (see pca9685_file.py) in the file that smbus2 opens as a bus;
gpiozero's mock pins write down what they do in the file $EMULATED_PINS.
"""

import json
import os
import time

import pca9685_file
import smbus2.smbus2

smbus2.smbus2.ioctl = pca9685_file.ioctl

if "EMULATED_PINS" in os.environ:
    from gpiozero.pins.mock import MockPWMPin

    log = open(os.environ["EMULATED_PINS"], "a", buffering=1)  # noqa: SIM115
    set_state, set_frequency = MockPWMPin._set_state, MockPWMPin._set_frequency

    def write_down(pin: MockPWMPin) -> None:
        number = int(pin.info.name.removeprefix("GPIO"))
        log.write(json.dumps([number, pin.frequency, pin.state, time.time()]) + "\n")

    def state(pin: MockPWMPin, value: float) -> None:
        set_state(pin, value)
        write_down(pin)

    def frequency(pin: MockPWMPin, value: float | None) -> None:
        set_frequency(pin, value)
        write_down(pin)

    MockPWMPin._set_state, MockPWMPin._set_frequency = state, frequency
