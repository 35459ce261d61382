# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A stop whose publisher left before anybody heard it."""

from __future__ import annotations

import pytest
from graph import wait_for
from guest import Guest
from std_msgs.msg import Bool

from bea_ros.nodes.shared.driving import hearing
from bea_ros.nodes.shared.driving.hearing import EveryMessage

pytestmark = pytest.mark.graph


def test_a_silent_visitor_counts_if_the_node_was_held_up_since(
    domain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hearing, "VISIT", 0.3)
    with Guest("driver", domain) as driver, Guest("visitor", domain) as visitor:
        stops = EveryMessage(driver.node, Bool, "stop", lambda message: None)
        assert not stops.missed_somebody(powered=False)
        driver.listen(0.3)
        publisher = visitor.node.create_publisher(Bool, "stop", 1)
        driver.wait_for(lambda: stops._silent)
        visitor.node.destroy_publisher(publisher)
        wait_for(lambda: not driver.node.count_publishers("stop"))
        driver.listen(0.5)  # longer than a visit, without a look at who was there
        assert stops.missed_somebody(powered=True)
        driver.listen(0.3)
        assert not stops.missed_somebody(powered=True)
