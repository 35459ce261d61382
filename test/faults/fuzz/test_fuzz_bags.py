# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever stands in a recording or a learner's address: it is read, or refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bea_ros_interfaces.msg import CpgParameters, LearnerStatus
from fuzzing import almost, changed, fuzz, refused_or_good
from geometry_msgs.msg import PoseWithCovarianceStamped
from hypothesis import given
from hypothesis import strategies as st
from rclpy.serialization import serialize_message

from bea_ros.bags.recomputing import Recording, read_recording
from bea_ros.bags.topics import ACTIVE, POSE, STATUS, TOPICS
from bea_ros.bags.writing import BagWriter
from bea_ros.nodes.clients.operator import WORDS, _address
from bea_ros.nodes.learner.operator import ADDRESS, VARIABLES
from bea_ros.nodes.recorder import definition_of
from bea_ros.nodes.shared.stamps import to_stamp
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.system.nanoseconds import SECOND

DURATION = 1.0  # s
EVALUATIONS = 3


def bag(folder: Path) -> bytes:
    """An MCAP file of a small run."""
    own = {TOPICS[STATUS]: LearnerStatus, TOPICS[ACTIVE]: CpgParameters}
    writer = BagWriter(folder / "bag", {name: definition_of(kind) for name, kind in own.items()})
    for topic in (POSE, STATUS, ACTIVE):
        writer.add_topic(f"/{topic}", TOPICS[topic])
    writer.add_topic("/parameter_events", "rcl_interfaces/msg/ParameterEvent")
    writer.write_parameters("/parameter_events", 1, "/learner", {"duration": DURATION})
    status = LearnerStatus(robot="spider9", task="gait", stage="initial", budget=EVALUATIONS)
    now = SECOND
    for number in range(EVALUATIONS + 1):
        status.evaluation, status.fitness = number, number / 100
        status.header.stamp = to_stamp(now)
        writer.write(f"/{STATUS}", now, serialize_message(status)[:])
        candidate = CpgParameters(evaluation=number + 1, names=["a"], values=[0.1])
        candidate.header.stamp = to_stamp(now + 1)
        writer.write(f"/{ACTIVE}", now, serialize_message(candidate)[:])
        for _ in range(12):
            pose = PoseWithCovarianceStamped()
            pose.header.stamp = to_stamp(now)
            pose.pose.pose.position.x = now / SECOND / 100
            pose.pose.pose.orientation.w = 1.0
            writer.write(f"/{POSE}", now, serialize_message(pose)[:])
            now += SECOND // 10
        writer.flush()
    writer.close()
    return (folder / "bag" / "bag.mcap").read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return bag(tmp_path_factory.mktemp("bag"))


def test_the_bag_is_one(folder: Path, whole: bytes) -> None:
    (folder / "bag.mcap").write_bytes(whole)
    assert len(read_recording(folder / "bag.mcap").evaluations) == EVALUATIONS


@fuzz
@given(data=st.data())
def test_recordings(folder: Path, whole: bytes, data: st.DataObject) -> None:
    content = data.draw(changed(st.just(whole)))
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content)))]
    (folder / "bag.mcap").write_bytes(content)
    found: Recording | None = refused_or_good(
        "recordings", ValueError, lambda: read_recording(folder / "bag.mcap")
    )
    assert found is None or found.comparisons


LEFT = {**dict.fromkeys(VARIABLES, "42"), "namespace": "/one"}


@fuzz
@given(address=almost(LEFT), text=st.binary(max_size=20) | st.just(b""))
def test_addresses(folder: Path, address: dict, text: bytes) -> None:
    """Nobody sets other variables of the environment by a file in a run's folder."""
    left = json.dumps(address, default=str, skipkeys=True).encode("utf-8", "replace")
    (folder / ADDRESS).write_bytes(text or left)
    found = refused_or_good("addresses", RunFolderError, lambda: _address(folder))
    if found is not None:
        assert set(found) <= {*VARIABLES, "namespace"}
        assert all(WORDS.fullmatch(value) for value in found.values())
