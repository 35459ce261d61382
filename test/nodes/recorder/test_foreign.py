# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of other programs are refused in a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from bea_ros_interfaces.msg import CpgParameters, LearnerStatus
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from bea_ros.bags.reading import BagError
from bea_ros.bags.recomputing import read_recording
from bea_ros.bags.topics import ACTIVE, PARAMETER_EVENT, PARAMETER_EVENTS, POSE, STATUS, TOPICS
from bea_ros.bags.writing import BagWriter
from bea_ros.nodes.recorder import definition_of


@pytest.mark.parametrize("foreign", [POSE, STATUS, ACTIVE, PARAMETER_EVENTS])
def test_a_topic_of_another_type_is_named(tmp_path: Path, foreign: str) -> None:
    own = {TOPICS[STATUS]: LearnerStatus, TOPICS[ACTIVE]: CpgParameters}
    writer = BagWriter(tmp_path / "bag", {name: definition_of(kind) for name, kind in own.items()})
    for topic in (POSE, STATUS, ACTIVE, PARAMETER_EVENTS):
        kind = {**TOPICS, foreign: "std_msgs/msg/String"}.get(topic, PARAMETER_EVENT)
        writer.add_topic(f"/{topic.strip('/')}", kind)
    writer.write(f"/{foreign.strip('/')}", 1, serialize_message(String(data="x")))
    writer.close()
    with pytest.raises(BagError, match=f"{foreign} is of type std_msgs/msg/String, not "):
        read_recording(tmp_path / "bag")
