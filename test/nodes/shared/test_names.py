# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Names of the graph as a whole: in a namespace, in rviz, in the table of parameters."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from geometry_msgs.msg import PoseWithCovarianceStamped
from graph import HANGS
from nav_msgs.msg import Path as PathMessage
from parameter_table import parameter_table
from rclpy.node import Node
from rclpy.parameter import Parameter as NodeParameter
from sensor_msgs.msg import Image
from visualization_msgs.msg import MarkerArray

from bea_ros.nodes.executables import NODES
from bea_ros.nodes.shared.parameters import STANDARD

ROOT = Path(__file__).resolve().parents[3]
# ROS's own, and diagnostics, which one aggregator collects from all robots.
ABSOLUTE = {"/rosout", "/parameter_events", "/diagnostics"}
SHOWN_BY = {
    "Image": Image,
    "MarkerArray": MarkerArray,
    "Path": PathMessage,
    "PoseWithCovariance": PoseWithCovarianceStamped,
}


def test_a_namespace_keeps_a_robot_apart(nodes: dict[str, Node]) -> None:
    assert set(nodes) == set(NODES) - {
        "second_robot",
        "gazebo",
        "servo_driver",
        "ros2_control_driver",
        "validator",
    }
    names = set()
    for node in nodes.values():
        names |= {p.topic_name for p in node.publishers}
        names |= {s.topic_name for s in node.subscriptions}
        names |= {s.service_name for s in (*node.services, *node.clients)}
    assert {name for name in names if not name.startswith("/one/")} <= ABSOLUTE
    assert {"/one/clock", "/one/learner/status", "/one/reset"} <= names


def test_every_node_on_simulated_time_listens_to_its_own_clock(nodes: dict[str, Node]) -> None:
    for name, node in nodes.items():
        clocks = [s.topic_name for s in node.subscriptions if s.topic_name.endswith("clock")]
        own = name in ("simulator", "page")  # which keeps to the day's
        assert clocks == ([] if own else ["/one/clock"]), name


def test_no_parameter_of_a_running_node_can_be_changed(nodes: dict[str, Node]) -> None:
    """As `ros2 param set` and `ros2 param load` ask for it, but for the joints' damages."""
    for node in nodes.values():
        for name in node._parameters:
            if name.startswith("damage."):
                continue
            before = node.get_parameter(name)
            (answer,) = node.set_parameters([NodeParameter(name, value=before.value)])
            assert not answer.successful, (node.get_name(), name)
        simulated = node.get_parameter("use_sim_time").value
        other = NodeParameter("use_sim_time", value=not simulated)
        assert not node.set_parameters_atomically([other]).successful
        assert node.get_parameter("use_sim_time").value is simulated


def rviz() -> dict[str, Any]:
    layout = yaml.safe_load((ROOT / "config" / "learn.rviz").read_text())
    return dict(layout["Visualization Manager"])


def displays() -> list[dict[str, Any]]:
    """rviz's displays that show a topic of ours."""
    return [display for display in rviz()["Displays"] if "Topic" in display]


def test_rviz_shows_arena_robot_paths_pose_and_image_and_nothing_unchecked() -> None:
    shown = {d["Name"]: d["Topic"]["Value"] for d in displays()}
    assert shown == {
        "Arena, status": "markers",
        "Path now": "path",
        "Best path": "learner/best_path",
        "Pose": "pose",
        "Debug image": "debug_image",
    }
    others = {d["Class"].split("/")[1]: d for d in rviz()["Displays"] if "Topic" not in d}
    assert set(others) == {"Grid", "RobotModel", "TF"}
    # robot_state_publisher offers it latched, whenever rviz starts.
    description = others["RobotModel"]["Description Topic"]
    assert description["Value"] == "robot_description"
    assert description["Durability Policy"] == "Transient Local"
    assert rviz()["Global Options"]["Fixed Frame"] == "map"


def test_the_security_policy_allows_what_the_nodes_do_and_no_more() -> None:
    make = [sys.executable, str(ROOT / "tools" / "security_policy.py")]
    made = subprocess.run(make, capture_output=True, text=True, check=True, timeout=HANGS).stdout
    assert made == (ROOT / "config" / "sros2" / "policy.xml").read_text(), (
        "run: python tools/security_policy.py > config/sros2/policy.xml"
    )


@pytest.mark.parametrize("display", displays(), ids=lambda display: display["Name"])
def test_rviz_shows_what_is_published(display: dict[str, Any], nodes: dict[str, Node]) -> None:
    topic = display["Topic"]
    publishers = {p.topic_name: p for node in nodes.values() for p in node.publishers}
    publisher = publishers["/one/" + topic["Value"]]
    library, display_class = display["Class"].split("/")
    assert library == "rviz_default_plugins"
    assert publisher.msg_type is SHOWN_BY[display_class]
    # The same on both sides: a late rviz gets what is latched, and no image is lost.
    for policy, name in (("reliability", "Reliability"), ("durability", "Durability")):
        published = getattr(publisher.qos_profile, policy).name
        assert topic[f"{name} Policy"] == published.replace("_", " ").title()


def test_the_table_of_parameters_is_up_to_date() -> None:
    written = (ROOT / "docs" / "parameters.md").read_text()
    assert written == parameter_table(), (
        "run: python tools/parameter_table.py > docs/parameters.md"
    )


def test_the_table_of_parameters_is_what_the_nodes_have(nodes: dict[str, Node]) -> None:
    sections = parameter_table().split("\n## ")[1:]
    tables = {text.split("\n")[0]: re.findall(r"^\| `(.*?)`", text, re.M) for text in sections}
    for name, node in nodes.items():
        own = {p for p in node._parameters if p not in STANDARD and "qos_overrides" not in p}
        own = {re.sub(r"^damage\..*", "damage.JOINT", p) for p in own}
        assert sorted(own) == sorted(tables[name])
