# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the scene says of a learner that is not there."""

from __future__ import annotations

import pytest
from bea_ros_interfaces.msg import LearnerStatus
from graph import after
from peer import Peer
from visualization_msgs.msg import MarkerArray

from bea_ros.nodes.monitor import SILENT
from bea_ros.nodes.shared.qos import LATCHED


@pytest.mark.graph
def test_the_scene_says_that_a_learner_is_silent_unless_its_run_has_ended(domain: int) -> None:
    with Peer("monitor", domain) as peer:
        texts: list[str] = []

        def on_markers(message: MarkerArray) -> None:
            texts.extend(marker.text for marker in message.markers if marker.ns == "learner")

        peer.node.create_subscription(MarkerArray, "markers", on_markers, LATCHED)
        peer.wait_for(lambda: texts)
        assert texts[-1] == "spider9\nwaiting: no learner was heard yet"
        learner = peer.node.create_publisher(LearnerStatus, "learner/status", LATCHED)
        status = LearnerStatus(robot="spider9", task="gait", evaluation=3, budget=9)
        status.state, status.stage = LearnerStatus.STATE_LEARNING, "initial"
        learner.publish(status)
        peer.wait_for(lambda: texts[-1].endswith("\nwaiting: the learner is silent"))
        assert "initial  3/9" in texts[-1]
        status.state = LearnerStatus.STATE_FINISHED
        learner.publish(status)
        peer.wait_for(lambda: texts[-1].endswith("\nfinished"))
        peer.wait_for(after(SILENT + 1))
        assert texts[-1].endswith("\nfinished")
