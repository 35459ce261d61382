# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A driver hears who comes later, whatever happened to others on the machine."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

import pytest
from guest import Guest
from operator_desk import Desk
from std_msgs.msg import Bool

from bea_ros.nodes.shared.driving.hearing import VISIT
from bea_ros.nodes.shared.qos import CONTROL

pytest.importorskip("gpiozero", reason="gpiozero is not installed")
pytestmark = pytest.mark.graph

LOCK = re.compile(r"(/dev/shm/fast\w+_port\d+)_el")  # of a port of Fast DDS's shared memory


def ports_of(pid: int) -> set[str]:
    """The ports of shared memory at which a process listens."""
    files = []
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            files.append(os.readlink(file))
    return {match[1] for file in files if (match := LOCK.fullmatch(file))}


def test_a_stop_by_a_newcomer_is_heard_after_a_process_was_killed_while_it_opened_a_port(
    desk: Desk,
) -> None:
    driver = desk.start("pins:=mock", "stagger:=0.0")
    for port in ports_of(driver.pid):
        Path(f"{port}_sl").touch()  # which it leaves: newcomers take the port for abandoned
    with Guest("panel", desk.domain) as panel:
        stops = panel.node.create_publisher(Bool, "emergency_stop", CONTROL)
        panel.wait_for(lambda: stops.get_subscription_count() >= 2)
        desk.listen(VISIT + 1)  # a panel that was there before arming may be silent
        desk.up()
        stops.publish(Bool(data=True))
        desk.wait(lambda: desk.is_in("emergency stop", "topic"))
