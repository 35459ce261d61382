# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Somebody who is there twice: publishes or serves what a node of the run does, and believably."""

from __future__ import annotations

import copy
import math
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import onlooker
from bea_ros_interfaces.msg import CpgParameters, LearnerStatus
from geometry_msgs.msg import PoseWithCovarianceStamped
from graph_under_test import environment
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from scene import KINDS, Scene, kind
from sensor_msgs.msg import CameraInfo, JointState
from std_msgs.msg import Bool, Header, String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from bea_ros.nodes.shared.qos import CONTROL, LATCHED
from bea_ros.system.processes import die_with_parent

onlooker.TYPES |= {
    "pose": (PoseWithCovarianceStamped, CONTROL),
    "armed": (Bool, LATCHED),
    "robot_trouble": (String, CONTROL),
    "camera_info": (CameraInfo, LATCHED),
    "joint_states": (JointState, CONTROL),
    "learner/status": (LearnerStatus, LATCHED),
    "emergency_stop": (Bool, CONTROL),
}
PATIENCE = 60.0  # s for an answer


def now_of(scene: Scene) -> Header:
    """The header of what was commanded last: the run's time."""
    last = scene.onlooker.last.get("joint_trajectory", JointTrajectory())
    return Header(stamp=copy.deepcopy(last.header.stamp), frame_id="map")


def twin(topic: str, make: Callable[[Scene], tuple[Any, str]]) -> None:
    def fault(scene: Scene) -> str:
        message, what = make(scene)
        scene.onlooker.say(topic, message, times=scene.chance.choice([1, 5, 40]))
        return what

    KINDS[f"twin: {topic}"] = (fault, ())


def pose(scene: Scene) -> tuple[Any, str]:
    message = PoseWithCovarianceStamped(header=now_of(scene))
    message.pose.pose.position.x = scene.chance.uniform(-1.5, 1.5)
    message.pose.pose.orientation.w = 1.0
    return message, "elsewhere"


def armed(scene: Scene) -> tuple[Any, str]:
    on = scene.chance.choice([True, False])
    return Bool(data=on), str(on)


def robot_trouble(scene: Scene) -> tuple[Any, str]:
    return String(data="the robot is on fire"), "on fire"


def camera_info(scene: Scene) -> tuple[Any, str]:
    focal = scene.chance.uniform(200.0, 900.0)
    message = CameraInfo(header=now_of(scene), width=640, height=480, distortion_model="plumb_bob")
    message.d = [0.0] * 5
    message.k = [focal, 0.0, 320.0, 0.0, focal, 240.0, 0.0, 0.0, 1.0]
    return message, f"{focal:.0f} pixels"


def joint_states(scene: Scene) -> tuple[Any, str]:
    """Within the limits, for this onlooker takes them for the robot's."""
    names = [joint.name for joint in onlooker.ROBOT.joints]
    message = JointState(header=now_of(scene), name=names)
    message.position = [0.0] * len(names)
    return message, "neutral"


def active_parameters(scene: Scene) -> tuple[Any, str]:
    """The evaluation that runs, begun at another time."""
    message = copy.deepcopy(scene.onlooker.last.get("active_parameters", CpgParameters()))
    message.header.stamp.nanosec = scene.chance.randrange(10**9)
    return message, "another time"


def status(scene: Scene) -> tuple[Any, str]:
    message = LearnerStatus(header=now_of(scene), robot="spider9", task="gait", fitness=42.0)
    message.best_fitness = math.inf
    return message, "42 m/s"


def stop(scene: Scene) -> tuple[Any, str]:
    """Of a simulated robot nobody listens; the run goes on as it was."""
    return Bool(data=True), "stop"


for topic, make in {
    "pose": pose, "armed": armed, "robot_trouble": robot_trouble, "camera_info": camera_info,
    "joint_states": joint_states, "active_parameters": active_parameters,
    "learner/status": status, "emergency_stop": stop,
}.items():  # fmt: skip
    twin(topic, make)


@kind("twin server: reset")
def twin_reset(scene: Scene) -> str:
    node = scene.onlooker.node
    answer = Trigger.Response(success=scene.chance.choice([True, False]), message="it is back")
    service = node.create_service(Trigger, "reset", lambda *_: answer)
    time.sleep(scene.chance.uniform(0.5, 2.0))
    node.destroy_service(service)
    return f"success {answer.success}"


def changed_parameters(name: str, changes: dict[str, Any]) -> None:
    @kind(f"parameters changed: {name}")
    def fault(scene: Scene) -> str:
        """As `ros2 param set` does; each must be refused."""
        changed = scene.chance.choice(sorted(changes))
        value = changes[changed]
        kinds = {bool: ParameterType.PARAMETER_BOOL, float: ParameterType.PARAMETER_DOUBLE}
        field = {bool: "bool_value", float: "double_value"}[type(value)]
        wanted = ParameterValue(type=kinds[type(value)], **{field: value})
        client = scene.onlooker.node.create_client(SetParameters, f"{name}/set_parameters")
        if not client.wait_for_service(PATIENCE):
            return "too late"
        asked = SetParameters.Request(parameters=[Parameter(name=changed, value=wanted)])
        future = client.call_async(asked)
        deadline = time.monotonic() + PATIENCE
        while not future.done() and scene.run.alive and time.monotonic() < deadline:
            time.sleep(0.01)
        scene.onlooker.node.destroy_client(client)
        if not future.done():
            return "too late"
        (result,) = future.result().results
        return f"VIOLATION: {changed} was set" if result.successful else f"{changed} refused"


for node, changes in {
    "cpg_controller": {"control_rate": 5.0, "use_sim_time": False},
    "camera_localization": {"dropout": 0.01, "use_sim_time": False},
    "simulator": {"control_rate": 5.0, "camera.rate": 1.0},
    "learner": {"use_sim_time": False, "duration": 1.0},
}.items():
    changed_parameters(node, changes)


@kind("killed stranger")
def killed_stranger(scene: Scene) -> str:
    """DDS counts it for 20 s more."""
    names = ("active_parameters", "cpg_parameters", "image_processed", "image_raw", "pose")
    topic = scene.chance.choice(names)
    message = onlooker.TYPES[topic][0]
    words = (
        f"import rclpy; from {message.__module__.rpartition('.')[0]} import {message.__name__}; "
        f"rclpy.init(); node = rclpy.create_node('stranger'); "
        f"one = node.create_publisher({message.__name__}, '{topic}', 1); "
        "print('there', flush=True); rclpy.spin(node)"
    )
    stranger = subprocess.Popen(
        [sys.executable, "-c", words],
        env=environment(scene.run.domain),
        stdout=subprocess.PIPE,
        preexec_fn=die_with_parent,
    )
    with stranger:
        assert stranger.stdout
        stranger.stdout.readline()
        time.sleep(scene.chance.uniform(0.5, 2.0))
        stranger.kill()
    return topic
