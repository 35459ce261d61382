# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Stands in for ros_gz_bridge's parameter_bridge where there is Gazebo with its Python bindings,
but no ROS 2 workspace to build C++ in: reads the same file, has the types that we need.

The bindings hold Python's lock while they wait for their own, which deadlocks where one process
both publishes and subscribes: so each direction has its own.
"""

from __future__ import annotations

import array
import contextlib
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import rclpy
import yaml
from rclpy.executors import ExternalShutdownException
from rclpy.qos import QoSProfile

from bea_ros.nodes.shared.node import Node
from bea_ros.system.processes import die_with_parent

GENERATIONS = (("gz.transport13", "gz.msgs10"), ("gz.transport14", "gz.msgs11"))
ENCODINGS = {1: "mono8", 3: "rgb8"}  # of gz.msgs.PixelFormatType


def bindings() -> tuple[Any, str]:
    """gz.transport of the newest Gazebo that is known, and the package of its messages."""
    for transport, messages in reversed(GENERATIONS):
        with contextlib.suppress(ImportError):
            return importlib.import_module(transport), messages
    raise ImportError("no Python bindings of gz-transport 13 or 14")


def header(gazebo: Any, ros: Any) -> None:
    ros.stamp.sec, ros.stamp.nanosec = gazebo.stamp.sec, gazebo.stamp.nsec
    for pair in gazebo.data:
        if pair.key == "frame_id":
            ros.frame_id = pair.value[0]


def clock(gazebo: Any, ros: Any) -> None:
    ros.clock.sec, ros.clock.nanosec = gazebo.sim.sec, gazebo.sim.nsec


def joint_state(gazebo: Any, ros: Any) -> None:
    header(gazebo.header, ros.header)
    ros.name = [joint.name for joint in gazebo.joint]
    ros.position = [joint.axis1.position for joint in gazebo.joint]
    ros.velocity = [joint.axis1.velocity for joint in gazebo.joint]


def image(gazebo: Any, ros: Any) -> None:
    header(gazebo.header, ros.header)
    ros.width, ros.height, ros.step = gazebo.width, gazebo.height, gazebo.step
    ros.encoding = ENCODINGS[gazebo.pixel_format_type]
    ros.data = array.array("B", gazebo.data)


def camera_info(gazebo: Any, ros: Any) -> None:
    header(gazebo.header, ros.header)
    ros.width, ros.height = gazebo.width, gazebo.height
    ros.distortion_model = "plumb_bob"
    ros.d, ros.k = list(gazebo.distortion.k), list(gazebo.intrinsics.k)
    ros.r, ros.p = list(gazebo.rectification_matrix), list(gazebo.projection.p)


def joint_trajectory(ros: Any, gazebo: Any) -> None:
    gazebo.joint_names.extend(ros.joint_names)
    for point in ros.points:
        added, until = gazebo.points.add(), point.time_from_start
        added.positions.extend(point.positions)
        added.time_from_start.sec, added.time_from_start.nsec = until.sec, until.nanosec


def empty(ros: Any, gazebo: Any) -> None:
    pass


CONVERSIONS: dict[str, Callable[[Any, Any], None]] = {
    "rosgraph_msgs/msg/Clock": clock,
    "sensor_msgs/msg/JointState": joint_state,
    "sensor_msgs/msg/Image": image,
    "sensor_msgs/msg/CameraInfo": camera_info,
    "trajectory_msgs/msg/JointTrajectory": joint_trajectory,
    "std_msgs/msg/Empty": empty,
}


class PythonBridge(Node):
    """Carries the topics of `config_file` that go in one direction."""

    def __init__(self, direction: str) -> None:
        super().__init__(f"ros_gz_bridge_{direction.lower()}")
        transport, self.messages = bindings()
        self.gazebo = transport.Node()
        self.kept: list[Any] = []  # what the bindings do not keep alive
        path = self.declare_parameter("config_file", "").value
        with open(path, encoding="utf-8") as file:
            entries = [e for e in yaml.safe_load(file) if e["direction"] == direction]
        for start in [self.bridge(entry) for entry in entries]:
            start()

    def bridge(self, entry: dict[str, str]) -> Callable[[], Any]:
        """Prepare for a topic; calling what is returned starts it."""
        package, _, name = entry["ros_type_name"].split("/")
        ros_type = getattr(importlib.import_module(f"{package}.msg"), name)
        name = entry["gz_type_name"].split(".")[-1]
        module = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        gz_type = getattr(importlib.import_module(f"{self.messages}.{module}_pb2"), name)
        convert, qos = CONVERSIONS[entry["ros_type_name"]], QoSProfile(depth=10)
        if entry["direction"] == "GZ_TO_ROS":
            to_ros = self.create_publisher(ros_type, entry["ros_topic_name"], qos)

            def on_gazebo(message: Any) -> None:
                converted = ros_type()
                convert(message, converted)
                with contextlib.suppress(Exception):  # while the node is being shut down
                    to_ros.publish(converted)

            self.kept.append(on_gazebo)
            return partial(self.gazebo.subscribe, gz_type, entry["gz_topic_name"], on_gazebo)
        to_gazebo = self.gazebo.advertise(entry["gz_topic_name"], gz_type)

        def on_ros(message: Any) -> None:
            converted = gz_type()
            convert(message, converted)
            to_gazebo.publish(converted)

        self.kept.append(to_gazebo)
        return partial(self.create_subscription, ros_type, entry["ros_topic_name"], on_ros, qos)


if __name__ == "__main__":
    direction = os.environ.get("BRIDGE_DIRECTION", "GZ_TO_ROS")
    if "BRIDGE_DIRECTION" not in os.environ:
        subprocess.Popen(
            [sys.executable, *sys.argv],
            env={**os.environ, "BRIDGE_DIRECTION": "ROS_TO_GZ"},
            preexec_fn=die_with_parent,
        )
    rclpy.init()
    with contextlib.suppress(ExternalShutdownException, KeyboardInterrupt):
        rclpy.spin(PythonBridge(direction))
    os._exit(0)  # the bindings' threads would wait for Python's lock for ever
