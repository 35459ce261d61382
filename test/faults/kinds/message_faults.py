# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Messages that come badly, and those of strangers."""

from __future__ import annotations

import array
import copy
import itertools
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import onlooker
from bea_ros_interfaces.msg import CpgParameters
from bea_ros_interfaces.srv import EvaluateFitness
from onlooker import ROBOT
from rosgraph_msgs.msg import Clock
from scene import KINDS, Scene, kind
from sensor_msgs.msg import Image
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from bea_ros.localization.markers.detector import MarkerDetector
from bea_ros.nodes.shared.qos import CLOCK

onlooker.TYPES["clock"] = (Clock, CLOCK)
DETECTOR = MarkerDetector("DICT_4X4_50")
CARRIED = itertools.count()  # images
SPOILT = 10  # images
PATIENCE = 120.0  # s for them to come


def relay_fault(name: str, topic: str) -> None:
    def fault(scene: Scene) -> str:
        before = scene.onlooker.troubled
        scene.onlooker.trouble[topic] = getattr(onlooker, name)(scene.chance)
        time.sleep(scene.chance.uniform(0.5, 2.0))
        del scene.onlooker.trouble[topic]
        return f"{scene.onlooker.troubled - before} messages"

    KINDS[f"{name}: {topic}"] = (fault, (topic,))


for trouble in ("loss", "delay", "duplication", "reordering"):
    for relayed in ("cpg_parameters", "joint_trajectory", "active_parameters",
                    "image_processed", "image_raw"):  # fmt: skip
        relay_fault(trouble, relayed)


def silence(service: str) -> None:
    @kind(f"no answer: {service}", service)
    def fault(scene: Scene) -> str:
        """A call is done and not answered; the learner asks again after its patience."""
        waiting = scene.onlooker.unanswered
        waiting[service] = 1
        while waiting[service] and scene.run.alive:
            time.sleep(0.01)
        return "too late" if waiting.pop(service) else "1 call"


for service in ("evaluate_fitness", "reset"):
    silence(service)


def camera_fault(name: str, spoil: Callable[[Image, Image], None]) -> None:
    """SPOILT of the camera's images are spoilt; `spoil` also has the first of them.

    That is longer than `dropout`, of a busy machine as well: shorter gaps are interpolated. No
    three attempts of an evaluation are without images, which counts as one that tumbled.
    """

    def fault(scene: Scene) -> str:
        first: list[Image] = []

        def trouble(message: Image) -> list[tuple[float, Any]]:
            first.append(message)
            if len(first) > SPOILT:
                return [(0.0, message)]
            spoilt = Image(header=message.header, height=message.height, width=message.width,
                           encoding=message.encoding, step=message.step,
                           data=message.data)  # fmt: skip
            spoil(spoilt, first[0])
            return [(0.0, spoilt)]

        scene.onlooker.trouble["image_raw"] = trouble
        deadline = time.monotonic() + PATIENCE
        while len(first) < SPOILT and scene.run.alive and time.monotonic() < deadline:
            time.sleep(0.002)
        del scene.onlooker.trouble["image_raw"]
        return f"{min(len(first), SPOILT)} images"

    KINDS[f"camera {name}"] = (fault, ("image_raw",))


def freeze(image: Image, first: Image) -> None:
    image.data = first.data


def blacken(image: Image, first: Image) -> None:
    image.data = array.array("B", bytes(len(image.data)))


def tear(image: Image, first: Image) -> None:
    image.data = image.data[: len(image.data) // 2]


def shrink(image: Image, first: Image) -> None:
    image.width, image.step, image.data = 320, 320, image.data[: 320 * image.height]


def recode(image: Image, first: Image) -> None:
    image.encoding = "32FC1"


def put_marker(image: Image, by: tuple[int, int], keep: bool) -> None:
    """Show the robot's marker elsewhere (by pixels); `keep` it where it is, or cover it there."""
    picture = np.frombuffer(bytes(image.data), np.uint8).reshape(image.height, -1).copy()
    for corners in DETECTOR.search(picture, ROBOT.marker.id).get(ROBOT.marker.id, [])[:1]:
        (u, v), reach = corners.mean(0).astype(int), 20
        here = slice(max(v - reach, 0), v + reach), slice(max(u - reach, 0), u + reach)
        patch = picture[here].copy()
        if not keep:
            picture[here] = np.median(picture)
        v, u = max(v - reach, 0) + by[1], max(u - reach, 0) + by[0]
        room = picture[v : v + patch.shape[0], u : u + patch.shape[1]]
        room[:] = patch[: room.shape[0], : room.shape[1]]
    image.data = array.array("B", picture.tobytes())


def double(image: Image, first: Image) -> None:
    put_marker(image, (130, 60), keep=True)


def carry(image: Image, first: Image) -> None:
    """To and fro: where it is put down before an evaluation begins, that may begin."""
    if next(CARRIED) // (SPOILT // 2) % 2:
        put_marker(image, (130, 60), keep=False)


camera_fault("frozen", freeze)
camera_fault("shows a second robot of its id", double)
camera_fault("shows a robot that is carried away", carry)
camera_fault("black", blacken)
camera_fault("torn", tear)
camera_fault("of another size", shrink)
camera_fault("of another encoding", recode)


@kind("stranger: cpg_parameters")
def strange_parameters(scene: Scene) -> str:
    """What a lab mate's script may say by mistake, from wrong numbers to another candidate."""
    names = ROBOT.parameter_names
    good = [scene.chance.uniform(-1.5, 1.5) for _ in names]
    what = scene.chance.choice(["nan", "inf", "short", "gecko7", "candidate", "stop"])
    message = CpgParameters(evaluation=99, attempt=1, robot="spider9", names=names, values=good)
    if what in ("nan", "inf"):
        message.values[scene.chance.randrange(len(names))] = float(what)
    elif what == "short":
        message.values = message.values[1:]
    elif what == "gecko7":
        message.robot = "gecko7"
    elif what == "stop":
        message.names, message.values = [], []
    scene.onlooker.say("cpg_parameters", message, times=10)
    return what


@kind("stranger: joint_trajectory")
def strange_commands(scene: Scene) -> str:
    names = [joint.name for joint in ROBOT.joints]
    what = scene.chance.choice(["nan", "inf", "huge", "empty", "other joints"])
    number = {"nan": math.nan, "inf": math.inf}.get(what, 1e6)
    message = JointTrajectory(
        joint_names=names, points=[JointTrajectoryPoint(positions=[number] * len(names))]
    )
    if what == "empty":
        message.points = []
    elif what == "other joints":
        message.joint_names = [f"other_{name}" for name in names]
    last = scene.onlooker.last.get("joint_trajectory", message)
    message.header.stamp, message.header.frame_id = last.header.stamp, "stranger"
    scene.onlooker.say("joint_trajectory", message, times=10)
    return what


@kind("stranger: image_raw")
def strange_images(scene: Scene) -> str:
    last = scene.onlooker.last.get("image_raw", Image())
    message = Image(header=last.header, height=48, width=64, encoding="mono8", step=64)
    message.data = array.array("B", bytes(48 * 64))
    message.header.stamp.sec += scene.chance.choice([0, 1, 10**6])
    scene.onlooker.say("image_raw", message, times=10)
    return "another camera"


@kind("visitor: image_raw")
def visit(scene: Scene) -> str:
    """Believable images of somebody who leaves before they are looked at."""
    for _ in range(5):
        message = copy.deepcopy(scene.onlooker.last.get("image_raw", Image()))
        if message.data:
            put_marker(message, (12, 8), keep=False)
            message.header.stamp.nanosec = min(message.header.stamp.nanosec + 4 * 10**7, 10**9 - 1)
            scene.onlooker.say("image_raw", message, linger=0.0)
        time.sleep(scene.chance.uniform(0.1, 0.5))
    return "5 images"


@kind("stranger: active_parameters")
def strange_activity(scene: Scene) -> str:
    """What drives the joints, later than it does."""
    message = scene.onlooker.last.get("active_parameters", CpgParameters(robot="spider9"))
    message.header.stamp.sec += scene.chance.choice([0, 1, 5])
    message.header.stamp.nanosec = scene.chance.randrange(10**9)
    scene.onlooker.say("active_parameters", message, times=10)
    return "another start"


@kind("stranger: reset")
def strange_reset(scene: Scene) -> str:
    node = scene.onlooker.node
    client = node.create_client(Trigger, "reset")
    calls = [client.call_async(Trigger.Request()) for _ in range(3) if not time.sleep(0.2)]
    time.sleep(0.5)
    refused = sum(call.done() and not call.result().success for call in calls)
    node.destroy_client(client)
    return f"3 calls, {refused} refused"


@kind("second server: evaluate_fitness")
def strange_fitness(scene: Scene) -> str:
    node = scene.onlooker.node
    answer = EvaluateFitness.Response(success=True, fitness=42.0)
    service = node.create_service(EvaluateFitness, "evaluate_fitness", lambda *_: answer)
    time.sleep(scene.chance.uniform(0.5, 2.0))
    node.destroy_service(service)
    return "42 m/s"


@kind("clock jump")
def jump(scene: Scene) -> str:
    last = scene.onlooker.last.get("joint_trajectory", JointTrajectory())
    by = scene.chance.choice([-10, -1, 1, 3600])
    message = Clock()
    message.clock.sec = max(0, last.header.stamp.sec + by)
    scene.onlooker.say("clock", message, times=3)
    return f"{by:+d} s"
