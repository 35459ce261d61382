# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of faults: each does something bad to a run, and has undone it when it returns.

Registered by name with the topics that must be relayed for it.
"""

from __future__ import annotations

import array
import contextlib
import math
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import onlooker
from bea_ros_interfaces.msg import CpgParameters
from graph_under_test import EVALUATIONS, Run, environment
from onlooker import ROBOT, Onlooker
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Image
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from bea_ros.nodes.qos import CLOCK
from bea_ros.runs.folder import LOG

NODES = ("learner", "cpg_controller", "camera_localization", "simulator", "bea")
onlooker.TYPES["clock"] = (Clock, CLOCK)


@dataclass
class Scene:
    """What a fault has to work with; `gone` are the times (monotonic) the learner was away."""

    run: Run
    onlooker: Onlooker
    chance: random.Random
    disk: Any
    gone: list[tuple[float, float]]


Fault = Callable[[Scene], str]  # returns what was done, in a word or two
KINDS: dict[str, tuple[Fault, tuple[str, ...]]] = {}


def kind(name: str, *relayed: str) -> Callable[[Fault], Fault]:
    def register(fault: Fault) -> Fault:
        KINDS[name] = (fault, relayed)
        return fault

    return register


def victim(scene: Scene, *names: str) -> tuple[str, int]:
    nodes = scene.run.nodes()
    name = scene.chance.choice([n for n in names or NODES if n in nodes] or ["nobody"])
    return name, nodes.get(name, 0)


def send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        if pid:
            os.kill(pid, number)


@kind("kill -9")
def kill(scene: Scene) -> str:
    name, pid = victim(scene)
    began = time.monotonic()
    send(pid, signal.SIGKILL)
    if name == "learner":
        scene.gone.append((began, began + 3))
    return name


@kind("terminate")
def terminate(scene: Scene) -> str:
    name, pid = victim(scene)
    send(pid, signal.SIGTERM)
    return name


@kind("hang")
def hang(scene: Scene) -> str:
    """SIGSTOP for a while: a node that hangs, a machine that swaps."""
    name, pid = victim(scene, *NODES[:-1])
    seconds = scene.chance.choice([0.2, 1.0, 2.5])
    began = time.monotonic()
    send(pid, signal.SIGSTOP)
    time.sleep(seconds)
    if name == "learner":
        scene.gone.append((began, time.monotonic()))
    send(pid, signal.SIGCONT)
    return f"{name} {seconds} s"


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


def camera_fault(name: str, spoil: Callable[[Image, Image], None]) -> None:
    """The camera's images are spoilt for a while; `spoil` also has the first of them."""

    def fault(scene: Scene) -> str:
        first: list[Image] = []

        def trouble(message: Image) -> list[tuple[float, Any]]:
            first.append(message)
            spoilt = Image(header=message.header, height=message.height, width=message.width,
                           encoding=message.encoding, step=message.step,
                           data=message.data)  # fmt: skip
            spoil(spoilt, first[0])
            return [(0.0, spoilt)]

        scene.onlooker.trouble["image_raw"] = trouble
        time.sleep(scene.chance.uniform(1.0, 2.0))
        del scene.onlooker.trouble["image_raw"]
        return f"{len(first)} images"

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


camera_fault("frozen", freeze)
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


@kind("clock jump")
def jump(scene: Scene) -> str:
    last = scene.onlooker.last.get("joint_trajectory", JointTrajectory())
    by = scene.chance.choice([-10, -1, 1, 3600])
    message = Clock()
    message.clock.sec = max(0, last.header.stamp.sec + by)
    scene.onlooker.say("clock", message, times=3)
    return f"{by:+d} s"


@kind("second learner on the robot")
def second_learner(scene: Scene) -> str:
    words = ["-m", "bea_ros.nodes.learner", "--ros-args", "-p", "duration:=2.0",
             "-p", "evaluations:=14", "-p", f"output:={scene.run.folder}-second",
             "-r", "/clock:=clock", "-p", "use_sim_time:=true"]  # fmt: skip
    return _refused(scene, words, "somebody else publishes")


@kind("second learner on the run")
def second_run(scene: Scene) -> str:
    words = ["-m", "bea_ros.cli", "learn", "--output", str(scene.run.folder), "--duration", "2"]
    words += ["--evaluations", str(EVALUATIONS)]
    return _refused(scene, words, "in use by another learner")


def _refused(scene: Scene, words: list[str], reason: str) -> str:
    if not scene.run.alive or scene.run.done >= EVALUATIONS:
        return "too late"
    domain = 0 if "bea_ros.cli" in words else scene.run.domain
    second = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=environment(domain),
    )  # fmt: skip
    while second.poll() is None and scene.run.alive and scene.run.done < EVALUATIONS:
        time.sleep(0.05)
    late = second.poll() is None
    second.terminate()
    said = second.communicate(timeout=30)[0]
    if late:
        return "too late"
    return "refused" if second.returncode and reason in said else f"VIOLATION: {said[-300:]}"


@kind("disk full")
def fill(scene: Scene) -> str:
    """A limit of the learner's files, just above what is there."""
    _, pid = victim(scene, "learner")
    size = (scene.run.folder / LOG).stat().st_size + scene.chance.randrange(1200)
    limits = resource.prlimit(pid, resource.RLIMIT_FSIZE) if pid else (0, 0)
    if pid:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, limits[1]))
    scene.run.wait_for_progress(scene.run.done + 2)
    return "learner"


@kind("disk read-only")
def read_only(scene: Scene) -> str:
    if not scene.disk.protect(scene.run.folder, True):
        return "skipped: needs root"
    time.sleep(2.0)
    scene.disk.protect(scene.run.folder, False)
    return "2 s"


@kind("disk hangs")
def freeze_disk(scene: Scene) -> str:
    """Every write waits: the learner can say nothing, so the robot must be still."""
    seconds = scene.chance.choice([0.3, 1.5])
    if not scene.disk.freeze():
        return "skipped: needs root"
    time.sleep(seconds)
    scene.disk.thaw()
    return f"{seconds} s"
