# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A node that somebody starts alone says what it waits for."""

from __future__ import annotations

import pytest
from peer import Peer
from rcl_interfaces.msg import Log

from bea_ros.nodes.shared.qos import EACH

pytestmark = pytest.mark.graph
ROSOUT = "/rosout"
NEEDS = {
    "cpg_controller": {"/cpg_parameters": "learner or validator"},
    "camera_localization": dict.fromkeys(("/image_raw", "/camera_info"), "camera or simulator"),
}


@pytest.mark.parametrize("name", NEEDS)
def test_a_node_alone_names_what_nobody_publishes(name: str, domain: int) -> None:
    with Peer(name, domain) as peer:
        said: list[str] = []
        peer.node.create_subscription(Log, ROSOUT, lambda m: said.append(m.msg), EACH)
        peer.wait_for(lambda: sum("nobody publishes" in line for line in said) == len(NEEDS[name]))
        for topic, who in NEEDS[name].items():
            assert any(f"nobody publishes {topic} yet ({who})" in line for line in said)
