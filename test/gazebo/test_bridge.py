# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The bridge carries what the rest of the graph has with the embedded simulator."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import rclpy
import yaml

from bea_ros.bringup.arguments import LEARN_ARGUMENTS, ROBOT_ARGUMENTS
from bea_ros.bringup.graphs import gazebo_graph, learn_graph
from bea_ros.gazebo import robot_urdf, world_sdf
from bea_ros.gazebo.server import command
from bea_ros.localization.arena import load_arena
from bea_ros.robots import load_robot

ROOT = Path(__file__).resolve().parents[2]
ENTRIES: list[dict[str, str]] = yaml.safe_load((ROOT / "config/gazebo/bridge.yaml").read_text())

# Those of the table in ros_gz_bridge's README (jazzy) that may be of use here.
PAIRS = {
    ("rosgraph_msgs/msg/Clock", "gz.msgs.Clock"),
    ("sensor_msgs/msg/CameraInfo", "gz.msgs.CameraInfo"),
    ("sensor_msgs/msg/Image", "gz.msgs.Image"),
    ("sensor_msgs/msg/JointState", "gz.msgs.Model"),
    ("std_msgs/msg/Empty", "gz.msgs.Empty"),
    ("std_msgs/msg/Float64", "gz.msgs.Double"),
    ("trajectory_msgs/msg/JointTrajectory", "gz.msgs.JointTrajectory"),
}
KEYS = {"ros_topic_name", "gz_topic_name", "ros_type_name", "gz_type_name", "direction"}
ARGUMENTS: dict[str, Any] = {a.name: a.default for a in (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS)}


def of_type(name: str) -> type:
    package, _, message = name.split("/")
    return getattr(import_module(f"{package}.msg"), message)


def test_entries_are_such_as_ros_gz_bridge_reads() -> None:
    for entry in ENTRIES:
        assert set(entry) == KEYS
        assert (entry["ros_type_name"], entry["gz_type_name"]) in PAIRS
        assert entry["direction"] in ("GZ_TO_ROS", "ROS_TO_GZ")
        assert not entry["ros_topic_name"].startswith("/")  # a namespace makes a second robot


def test_the_topics_are_the_simulators() -> None:
    """The real simulator's and Gazebo's node's, in a namespace, but for the lockstep's."""
    from bea_ros.nodes.simulator.node import Simulator

    rclpy.init(args=["--ros-args", "-r", "__ns:=/one", "-r", "/clock:=clock"])
    node = Simulator()
    own = ("/rosout", "/parameter_events")
    sends = {p.topic_name: p.msg_type for p in node.publishers if p.topic_name not in own}
    hears = {s.topic_name: s.msg_type for s in node.subscriptions}
    node.destroy_node()
    rclpy.shutdown()
    bridged: dict[str, dict[str, type]] = {"GZ_TO_ROS": {}, "ROS_TO_GZ": {}}
    for entry in ENTRIES:
        name = f"/one/{entry['ros_topic_name']}"
        bridged[entry["direction"]][name] = of_type(entry["ros_type_name"])
    assert bridged["GZ_TO_ROS"] == sends
    hears.pop("/one/image_processed")
    hears.pop("/parameter_events", None)
    del bridged["ROS_TO_GZ"]["/one/put_back"]
    assert bridged["ROS_TO_GZ"] == hears


def test_the_topics_are_gazebos() -> None:
    robot = load_robot("spider9")
    world = world_sdf(load_arena(robot), robot=robot) + robot_urdf(robot, "servo")
    said = re.findall(r"<(?:camera_info_)?topic>(\w+)</", world)
    said += re.findall(r'<input type="gz.msgs.Empty" topic="/(\w+)"', world)
    assert {entry["gz_topic_name"] for entry in ENTRIES} == {"/clock", *(f"/{t}" for t in said)}


def test_the_graph_has_gazebo_in_place_of_the_simulator() -> None:
    graphs = {
        backend: learn_graph({**ARGUMENTS, "robot_backend": backend})
        for backend in ("simulator", "gazebo")
    }
    names = {backend: [node.executable for node in nodes] for backend, nodes in graphs.items()}
    ours = names["simulator"]
    i = ours.index("simulator")
    assert names["gazebo"] == [*ours[:i], "gazebo", "parameter_bridge", *ours[i + 1 :]]
    for node in graphs["gazebo"]:
        assert ("/clock", "clock") in node.remappings
    (bridge,) = (n for n in gazebo_graph(ARGUMENTS) if n.package == "ros_gz_bridge")
    assert yaml.safe_load(Path(bridge.parameters["config_file"]).read_text()) == ENTRIES


@pytest.mark.parametrize(
    ("headless", "engine", "words"),
    [
        (False, "ogre2", "gz sim -r --render-engine ogre2 w.sdf"),
        (True, "ogre2", "gz sim -r --render-engine ogre2 -s --headless-rendering w.sdf"),
        (True, "ogre", "gz sim -r --render-engine ogre -s w.sdf"),
    ],
)
def test_gazebo_is_started_as_asked(headless: bool, engine: str, words: str) -> None:
    assert " ".join(command("w.sdf", headless, engine)) == words
