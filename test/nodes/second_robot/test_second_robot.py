# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A second robot in the rviz of the first: frames of its own, beside those."""

from __future__ import annotations

import math
from pathlib import Path as File

import numpy as np
import pytest
import rclpy
import yaml
from bea_ros_interfaces.msg import LearnerStatus
from geometry_msgs.msg import PoseStamped, TransformStamped
from graph import after, wait_for
from guest import Guest, in_this_process
from nav_msgs.msg import Path
from peer import Peer
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

from bea_ros.bringup.rviz import ROOM
from bea_ros.localization.arena import load_arena
from bea_ros.nodes import second_robot
from bea_ros.nodes.second_robot import SecondRobot
from bea_ros.nodes.shared.qos import LATCHED, RESULTS
from bea_ros.robots import load_robot

ROOT = File(__file__).resolve().parents[3]
LAYOUT = yaml.safe_load((ROOT / "config" / "two_robots.rviz").read_text())


@pytest.mark.graph
def test_paths_and_frames_of_another_namespace_are_shown_beside_ours(domain: int) -> None:
    with Peer("second_robot", domain, "-p", "of:=bob", "-r", "/tf:=tf", "-r",
                "/tf_static:=tf_static", namespace="/alice") as peer:  # fmt: skip
        node, seen = peer.node, {}
        for topic in ("path", "best_path"):
            node.create_subscription(
                Path, f"second/{topic}", lambda m, t=topic: seen.update({t: m}), LATCHED
            )
        for topic in ("/bob/path", "/bob/learner/best_path"):
            message = Path(poses=[PoseStamped(header=Header(frame_id="map"))])
            message.header.frame_id = "map"
            node.create_publisher(Path, topic, LATCHED).publish(message)
        peer.wait_for(lambda: len(seen) == 2)
        parts = [part for path in seen.values() for part in (path, *path.poses)]
        assert [part.header.frame_id for part in parts] == ["second/map"] * 4
        try:
            from tf2_msgs.msg import TFMessage
        except ImportError:
            return
        frames: dict[str, str] = {}
        for topic, qos in (("tf", RESULTS), ("tf_static", LATCHED)):
            node.create_subscription(
                TFMessage,
                topic,
                lambda m: frames.update(
                    {t.child_frame_id: t.header.frame_id for t in m.transforms}
                ),
                qos,
            )
        moving = node.create_publisher(TFMessage, "/bob/tf", RESULTS)
        fixed = node.create_publisher(TFMessage, "/bob/tf_static", LATCHED)

        def told() -> bool:
            for publisher, parent, child in (
                (moving, "map", "base_footprint"),
                (fixed, "base_footprint", "base_link"),
            ):
                one = TransformStamped(child_frame_id=child)
                one.header.frame_id = parent
                publisher.publish(TFMessage(transforms=[one]))
            return len(frames) == 3

        peer.wait_for(told)
        assert frames == {
            "second/map": "map",
            "second/base_footprint": "second/map",
            "second/base_link": "second/base_footprint",
        }


@pytest.mark.graph
def test_fixed_frames_of_two_nodes_are_all_heard(
    domain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of localization and robot_state_publisher, while this node was busy; paths stand in."""
    heard: set[str] = set()
    monkeypatch.setattr(second_robot, "TFMessage", Path)
    monkeypatch.setattr(SecondRobot, "fix", lambda *_: None)
    monkeypatch.setattr(
        SecondRobot, "on_tf_static", lambda _, message: heard.add(message.header.frame_id)
    )
    with Guest("one", domain) as one, Guest("other", domain) as other:
        for guest in (one, other):
            message = Path()
            message.header.frame_id = guest.node.get_name()
            guest.node.create_publisher(Path, "/bob/tf_static", LATCHED).publish(message)
        with in_this_process(SecondRobot, domain, "-p", "of:=bob") as node:
            wait_for(lambda: node.count_publishers("/bob/tf_static") == 2)
            wait_for(after(1.0))  # both have come, and none was taken
            over = after(1.0)
            while not over():
                rclpy.spin_once(node, timeout_sec=0.1)
            assert heard == {"one", "other"}


@pytest.mark.graph
def test_the_second_robot_s_scene_has_its_frames(domain: int) -> None:
    with Peer("monitor", domain, "-p", "frame_prefix:=second/", namespace="/scene") as peer:
        seen: list[MarkerArray] = []
        peer.node.create_subscription(MarkerArray, "markers", seen.append, LATCHED)
        said = peer.node.create_publisher(LearnerStatus, "learner/status", LATCHED)
        said.publish(LearnerStatus(robot="spider9", task="gait", state="waiting"))
        peer.wait_for(lambda: seen and any(m.ns == "learner" for m in seen[-1].markers))
        frames = {marker.header.frame_id for marker in seen[-1].markers}
        assert frames == {"second/map", "second/marker"}


def test_the_layout_for_two_is_that_for_one_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from two_robots_layout import TOPICS, layout

    assert (ROOT / "config" / "two_robots.rviz").read_text() == layout()
    displays = {d["Name"]: d for d in LAYOUT["Visualization Manager"]["Displays"]}
    assert displays["Robot 2"]["TF Prefix"] == "second"
    assert set(TOPICS) <= set(displays)


def test_both_arenas_are_in_the_view_of_two() -> None:
    view = LAYOUT["Visualization Manager"]["Views"]["Current"]
    arena, pitch, half = load_arena(load_robot("spider9")), view["Pitch"], math.radians(45 / 2)
    assert math.isclose(view["Yaw"], 1.5 * math.pi, abs_tol=0.01)  # from in front, along y
    forth = np.array([math.cos(pitch), -math.sin(pitch)])  # y, z
    eye = np.array([view["Focal Point"]["Y"], 0.0]) - view["Distance"] * forth
    for y in (-arena.depth / 2, 1.5 * arena.depth + ROOM):
        ahead = np.array([y, 0.0]) - eye
        up = ahead @ [math.sin(pitch), math.cos(pitch)]
        assert abs(math.atan2(up, ahead @ forth)) < 0.95 * half, y
