# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Names of the graph as a whole: in a namespace, in rviz, in the table of parameters."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import rclpy
import yaml
from bea_ros_interfaces.msg import LearnerStatus
from geometry_msgs.msg import PoseWithCovarianceStamped
from nav_msgs.msg import Path as PathMessage
from rclpy.node import Node
from sensor_msgs.msg import Image
from visualization_msgs.msg import Marker, MarkerArray

from bea_ros.bringup import LEARN_ARGUMENTS, ROBOT_ARGUMENTS, learn_graph
from bea_ros.nodes.monitor import arena_markers, status_text
from bea_ros.nodes.parameter_table import parameter_table

ROOT = Path(__file__).resolve().parents[2]
CLASSES = {
    "camera_localization": "CameraLocalization",
    "cpg_controller": "CpgController",
    "learner": "Learner",
    "monitor": "Monitor",
    "simulator": "Simulator",
}
# ROS's own, and diagnostics, which one aggregator collects from all robots.
ABSOLUTE = {"/rosout", "/parameter_events", "/diagnostics"}
SHOWN_BY = {
    "Image": Image,
    "MarkerArray": MarkerArray,
    "Path": PathMessage,
    "PoseWithCovariance": PoseWithCovarianceStamped,
}


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Node]]:
    """Every node of a learning run with rviz, in namespace /one."""
    arguments: dict[str, Any] = {a.name: a.default for a in (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS)}
    folder = tmp_path_factory.mktemp("run")
    arguments.update(output=str(folder / "run"), rviz=True)
    specs = [spec for spec in learn_graph(arguments) if spec.package == "bea_ros"]
    values = {f"/one/{s.executable}": {"ros__parameters": s.parameters} for s in specs}
    (folder / "parameters.yaml").write_text(yaml.safe_dump(values))
    words = ["--ros-args", "--params-file", str(folder / "parameters.yaml"), "-r", "__ns:=/one"]
    words += [w for old, new in specs[0].remappings for w in ("-r", f"{old}:={new}")]
    rclpy.init(args=words)
    modules = {s.executable: import_module(f"bea_ros.nodes.{s.executable}") for s in specs}
    made = {name: getattr(module, CLASSES[name])() for name, module in modules.items()}
    yield made
    for node in made.values():
        node.destroy_node()
    rclpy.shutdown()


def test_a_namespace_keeps_a_robot_apart(nodes: dict[str, Node]) -> None:
    assert set(nodes) == set(CLASSES)
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
        assert clocks == ([] if name == "simulator" else ["/one/clock"]), name


def displays() -> list[dict[str, Any]]:
    """rviz's displays that show a topic of ours."""
    layout = yaml.safe_load((ROOT / "config" / "learn.rviz").read_text())
    return [d for d in layout["Visualization Manager"]["Displays"] if "Topic" in d]


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


def test_monitor_shows_the_arena_at_once_and_the_learner_as_it_tells(
    nodes: dict[str, Node],
) -> None:
    monitor = nodes["monitor"]
    outline, *squares = arena_markers(monitor.arena)
    assert {(p.x, p.y) for p in outline.points} == {
        (x * monitor.arena.width / 2, y * monitor.arena.depth / 2)
        for x in (-1, 1)
        for y in (-1, 1)
    }
    assert outline.points[0] == outline.points[-1]
    assert [(s.id, s.type, s.scale.x) for s in squares] == [
        (marker.id, Marker.CUBE, marker.size) for marker in monitor.arena.floor_markers
    ]
    assert {m.header.frame_id for m in (outline, *squares)} == {"map"}
    status = LearnerStatus(
        robot="spider9", task="gait", state=LearnerStatus.STATE_WAITING, budget=150
    )
    status.best_fitness = float("nan")
    assert status_text(status) == "spider9  gait\nwaiting  0/150"
    status.stage, status.evaluation, status.best_fitness = "bayesian", 12, 0.01904
    assert status_text(status) == "spider9  gait\nbayesian  12/150  best 0.0190 m/s"
    status.state, status.message = LearnerStatus.STATE_PAUSED, "no image for 5 s"
    assert status_text(status).endswith("\npaused: no image for 5 s")


def test_the_table_of_parameters_is_up_to_date() -> None:
    written = (ROOT / "docs" / "parameters.md").read_text()
    assert written == parameter_table(), (
        "run: python -m bea_ros.nodes.parameter_table > docs/parameters.md"
    )
