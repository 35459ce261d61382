# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which controllers of ros2_control are commanded."""

from __future__ import annotations

import numpy as np
import pytest
import rclpy
from builtin_interfaces.msg import Time
from controller_stand_in import StandIn
from guest import Guest

from bea_ros.nodes.ros2_control_driver.controller import Controller

pytestmark = pytest.mark.graph
JOINTS = ["hip", "knee"]


@pytest.mark.parametrize(("kind", "said"), [("position", ""), ("velocity", "commands velocity")])
def test_a_controller_of_velocities_gets_no_angles(domain: int, kind: str, said: str) -> None:
    """It listens to the same topic as one of positions, and would take an angle for a speed."""
    with Guest("driver", domain) as guest:
        node = rclpy.create_node("legs", context=guest.context)
        guest.executor.add_node(node)
        legs = StandIn(node, kind, JOINTS[::-1])
        controller = Controller(guest.node, "legs", JOINTS)

        def decided() -> bool:
            fault = controller.fault
            return said in fault if said else not fault

        guest.wait_for(decided)

        def told() -> bool:
            controller.send([np.array([0.1, 0.2])], 0.1, Time())
            return bool(legs.heard)

        if said:  # not even a message without angles, which a controller takes for an error
            assert not guest.within(0.5, told)
        else:
            guest.wait_for(told)
        assert {tuple(message.data) for message in legs.heard} <= {(0.2, 0.1)}
        node.destroy_node()
