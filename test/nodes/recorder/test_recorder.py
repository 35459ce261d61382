# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The recorder by itself: it asks again, says why it ends, and keeps what counts."""

from __future__ import annotations

import os
import re
import resource
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from bea_ros_interfaces.msg import CpgParameters, LearnerStatus
from geometry_msgs.msg import PoseWithCovarianceStamped
from graph import (
    HANGS,
    end,
    evaluations_in,
    learn_command,
    node_process,
    nodes_of,
    start,
    wait_for,
)
from guest import Guest, in_this_process
from peer import Peer
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    GetParameterTypes,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.duration import Duration
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from rclpy.task import Future
from rosbags.highlevel import AnyReader
from sensor_msgs.msg import Image, JointState
from std_msgs.msg import Header

from bea_ros.__main__ import main
from bea_ros.bags.reading import BagError
from bea_ros.bags.recomputing import read_recording
from bea_ros.bags.topics import COMPRESSED, PARAMETER_EVENTS
from bea_ros.nodes import recorder
from bea_ros.nodes.shared.image_messages import message_of
from bea_ros.nodes.shared.qos import LATCHED, POSES, RESULTS, images
from bea_ros.nodes.shared.stamps import to_stamp
from bea_ros.runs.folder.run_folder import read_evaluations

pytestmark = pytest.mark.graph


@pytest.mark.slow
def test_a_node_whose_answer_is_lost_is_asked_for_its_parameters_again(
    domain: int, tmp_path: Path
) -> None:
    process = node_process("recorder", domain, "-p", f"output:={tmp_path}")
    learner = Guest("learner", domain, start_parameter_services=False)
    asked: list[str] = []

    async def on_list(request: Any, response: Any) -> Any:
        asked.append("names")
        if len(asked) == 1:
            await Future()  # is never done
        response.result.names = ["duration"]
        return response

    def on_get(request: Any, response: Any) -> Any:
        asked.append("values")
        response.values = [Parameter("duration", value=2.0).get_parameter_value()]
        return response

    for kind in (DescribeParameters, GetParameterTypes, SetParameters, SetParametersAtomically):
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
        learner.node.create_service(kind, f"learner/{name}", lambda request, response: response)
    learner.node.create_service(ListParameters, "learner/list_parameters", on_list)
    learner.node.create_service(GetParameters, "learner/get_parameters", on_get)
    try:
        learner.wait_for(lambda: "values" in asked)
        assert asked[:2] == ["names", "names"]
    finally:
        end(process)
        learner.close()


def test_a_recorder_with_a_full_disk_says_so_in_a_line(
    domain: int, tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    bag = tmp_path / "bag_1" / "bag_1.mcap"
    with Peer("recorder", domain, "-p", f"output:={tmp_path}") as peer:
        statuses = peer.node.create_publisher(LearnerStatus, "learner/status", LATCHED)
        peer.node.create_timer(0.05, lambda: statuses.publish(LearnerStatus(robot="spider9")))
        peer.wait_for(lambda: bag.exists() and bag.stat().st_size > 0)
        size = bag.stat().st_size
        resource.prlimit(peer.process.pid, resource.RLIMIT_FSIZE, (size + 500, size + 500))
        code = peer.exit_code()
    said = capfd.readouterr().err
    assert code == 1, said
    assert f"File too large: '{tmp_path}'" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(("quality", "kept"), [(POSES, 5), (RESULTS, 0)])
def test_poses_that_were_published_before_the_recorder_was_discovered_are_recorded(
    domain: int, tmp_path: Path, quality: QoSProfile, kept: int
) -> None:
    """Where their publisher keeps them, as the localization does; else the later ones are."""
    with Peer("recorder", domain, "-p", f"output:={tmp_path}") as peer:
        localization = rclpy.create_node("camera_localization", context=peer.node.context)
        peer.executor.add_node(localization)
        poses = localization.create_publisher(PoseWithCovarianceStamped, "pose", quality)
        active = peer.node.create_publisher(CpgParameters, "active_parameters", LATCHED)
        statuses = peer.node.create_publisher(LearnerStatus, "learner/status", LATCHED)
        for _ in range(5):
            poses.publish(PoseWithCovarianceStamped())
        active.publish(CpgParameters())
        peer.wait_for(poses.get_subscription_count)
        poses.publish(PoseWithCovarianceStamped())
        statuses.publish(LearnerStatus(robot="spider9"))
        peer.wait_for((tmp_path / "bag_1").exists)
        assert poses.wait_for_all_acked(Duration(seconds=HANGS))
        localization.destroy_node()
    with AnyReader([tmp_path / "bag_1"]) as reader:
        (count,) = [c.msgcount for c in reader.connections if c.topic == "/pose"]
    assert count == kept + 1


def test_what_is_told_once_is_kept_however_much_comes_before_the_learner_begins(
    domain: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "EARLY", 5)
    with in_this_process(recorder.Recorder, domain, "-p", f"output:={tmp_path}") as node:
        node.on_message("/active_parameters", serialize_message(CpgParameters()))
        values = Future()
        values.set_result(
            GetParameters.Response(values=[Parameter("edge", value=0.3).get_parameter_value()])
        )
        node.on_values("camera_localization", ["edge"], values)
        for _ in range(20):
            node.on_message("/joint_states", serialize_message(JointState()))
        node.on_message("/learner/status", serialize_message(LearnerStatus(robot="spider9")))
        assert node.bag
        node.bag.close()
    with AnyReader([tmp_path / "bag_1"]) as reader:
        topics = [connection.topic for connection, _, _ in reader.messages()]
    told = ["/active_parameters", PARAMETER_EVENTS]
    assert topics == [*told, *["/joint_states"] * 5, "/learner/status"]


def test_images_are_kept_from_the_learner_s_first_word_on(domain: int, tmp_path: Path) -> None:
    """Before it a run that goes on may learn again for minutes, and images are large."""
    bag, number = tmp_path / "bag_1", 0
    with Peer("recorder", domain, "-p", f"output:={tmp_path}", "-p", "images:=true") as peer:
        cameras = peer.node.create_publisher(Image, "image_raw", images(reliable=True))
        statuses = peer.node.create_publisher(LearnerStatus, "learner/status", LATCHED)

        def show() -> None:
            nonlocal number
            number += 1
            image = message_of(np.full((48, 64), number % 256, np.uint8), Header())
            image.header.stamp = to_stamp(number)
            cameras.publish(image)
            peer.executor.spin_once(timeout_sec=0.02)

        peer.wait_for(
            lambda: cameras.get_subscription_count() and statuses.get_subscription_count()
        )
        for _ in range(20):
            show()
        early = number
        statuses.publish(LearnerStatus(robot="spider9"))
        peer.wait_for(bag.exists)
        for _ in range(20):
            show()
    with AnyReader([bag]) as reader:
        (camera,) = [c for c in reader.connections if c.topic == f"/{COMPRESSED}"]
        stamps = [
            reader.deserialize(data, camera.msgtype).header.stamp.nanosec
            for _, _, data in reader.messages([camera])
        ]
    assert stamps
    assert min(stamps) > early - images(reliable=True).depth  # but for what was in its queue


def test_a_killed_recorder_loses_no_more_than_the_evaluation_in_flight(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    run = tmp_path / "run"

    def recorded() -> int:
        try:
            return len(read_recording(run / "bag_1").comparisons)
        except BagError:
            return 0

    short = ("--algorithm", "bo", "--duration", "1")
    learning = start(learn_command(run, 100, 1, "--record", *short))
    wait_for(lambda: evaluations_in(run) >= 4)
    nodes = nodes_of(learning)
    os.kill(nodes["learner"], signal.SIGSTOP)  # until what it has said has come to the recorder
    wait_for(lambda: recorded() >= evaluations_in(run) - 1, lambda: time.sleep(0.5))
    os.kill(nodes["recorder"], signal.SIGKILL)
    os.kill(nodes["learner"], signal.SIGCONT)
    assert learning.wait(HANGS) != 0
    records = read_evaluations(run)
    assert main(["report", str(run / "bag_1")]) == 0
    assert "the recording was cut off" in capsys.readouterr().out
    computed = read_recording(run / "bag_1").comparisons
    assert len(computed) >= 3
    assert [one.computed for one in computed] == [r["fitness"] for r in records][: len(computed)]
