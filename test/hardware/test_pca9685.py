# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A PCA9685 by an adapter that is unplugged: the open device of the bus stays gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from emulated.pca9685_file import NACKS, Chip, ioctl

from bea_ros.hardware.output_process import OutputServer
from bea_ros.hardware.pca9685 import Pca9685

smbus2 = pytest.importorskip("smbus2.smbus2", reason="smbus2 is not installed")


def test_a_bus_that_is_plugged_in_again_is_opened_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(smbus2, "ioctl", ioctl)
    bus = tmp_path / "i2c"
    unplugged = Chip.make(bus)
    server = OutputServer(Pca9685(str(bus), 0x40, 50.0, 25e6))
    server.start()
    assert not server.write({3: 1500.0})["fault"]
    unplugged.memory[NACKS] = 255
    bus.unlink()
    assert "Remote I/O error" in server.write({3: 1500.0})["fault"]
    assert "No such file or directory" in server.write({})["fault"]
    board = Chip.make(bus)
    server.recover()
    assert not server.write({3: 1500.0})["fault"]
    assert board.pulses()[3] == pytest.approx(1500.0, abs=5.0)
    server.outputs.close()
