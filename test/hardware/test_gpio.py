# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pulses through gpiozero's pins of lgpio, with the library beneath them written down."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

mock = pytest.importorskip("gpiozero.pins.mock", reason="gpiozero is not installed")


def test_pulses_by_lgpio_are_not_cut_to_whole_per_cent(monkeypatch: pytest.MonkeyPatch) -> None:
    library = MagicMock(error=RuntimeError)
    library.gpio_get_mode.return_value = 2  # an output
    monkeypatch.setitem(sys.modules, "lgpio", library)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    from bea_ros.hardware.gpio import with_exact_pulses

    factory = SimpleNamespace(_handle=7)
    pin_class = with_exact_pulses(factory).pin_class
    ((_, info),) = mock.MockFactory().board_info.find_pin("GPIO27")
    pin = pin_class(factory, info)
    pin.frequency = 50.0
    for pulse in (1188.06, 1500.0):
        pin.state = pulse * 1e-6 * 50.0
    pin.frequency = None
    told = [call.args for call in library.tx_pwm.call_args_list]
    assert told == [
        (7, 27, 50.0, 0),
        (7, 27, 50.0, pytest.approx(5.9403)),
        (7, 27, 50.0, pytest.approx(7.5)),
        (7, 27, 0, 0),
    ]
    assert pin.frequency is None
