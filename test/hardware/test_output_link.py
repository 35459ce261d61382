# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the end of the process that drives the servos says about them, on mock pins."""

from __future__ import annotations

import psutil
import pytest
from settling import settle

from bea_ros.hardware import output_link
from bea_ros.hardware.output_link import OutputLink

pytest.importorskip("gpiozero", reason="gpiozero is not installed")


@pytest.fixture
def link(monkeypatch: pytest.MonkeyPatch) -> OutputLink:
    monkeypatch.setattr(output_link, "STARTING", 180.0)  # a busy machine loads slowly
    return OutputLink({"driver": "gpio", "frequency": 50.0}, "mock", [27], hang=60.0)


def closed(link: OutputLink) -> bool:
    """Close while the process answers nothing, as one that still loads or whose bus hangs."""
    process = psutil.Process(link.process.pid)
    process.suspend()
    try:
        return link.close(0.1)
    finally:
        process.kill()
        link.process.wait()


def power(link: OutputLink) -> None:
    link.send({27: 1500.0})
    settle(lambda: not link.pending and link.asked is None, link)


def test_servos_that_never_had_pulses_are_relaxed_at_the_end(link: OutputLink) -> None:
    assert closed(link)


def test_servos_with_pulses_are_not_relaxed_until_it_is_confirmed(link: OutputLink) -> None:
    power(link)
    assert not closed(link)


def test_servos_that_an_end_in_order_relaxed_stay_so_while_another_process_loads(
    link: OutputLink,
) -> None:
    """As systemctl stop ends it: by a signal to all processes of the driver."""
    power(link)
    link.process.terminate()
    settle(lambda: link.counts["restarts"] == 1, link)
    assert not link.ready
    assert closed(link)


def test_servos_of_a_killed_process_may_have_pulses_while_another_loads(link: OutputLink) -> None:
    power(link)
    link.process.kill()
    settle(lambda: link.counts["restarts"] == 1, link)
    assert not closed(link)
