# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever comes over the network: the real nodes live, answer, and move nothing by it."""

from __future__ import annotations

import array
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from bea_ros_interfaces.msg import CpgParameters
from bea_ros_interfaces.srv import EvaluateFitness
from builtin_interfaces.msg import Time
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory

from bea_ros.localization.arena import Arena
from bea_ros.nodes.qos import LATCHED, RESULTS, images
from bea_ros.nodes.simulated_world import CAMERA_PARAMETERS, SimulatedCamera
from bea_ros.nodes.stamps import SECOND, to_stamp
from bea_ros.resources import resource_path
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import LARGEST_WEIGHT
from bea_ros.simulation.world import World
from bea_ros.supervisor import free_domain

pytestmark = pytest.mark.graph
EXAMPLES = int(os.environ.get("BEA_FUZZ", "25"))
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="BEA_FUZZ" not in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
)
ROBOT = load_robot("spider9")
NAMES = ROBOT.parameter_names
tried: dict[str, int] = {}

uint32 = st.integers(0, 2**32 - 1)
odd_floats = st.floats() | st.sampled_from([1e308, -1e308, LARGEST_WEIGHT * 1.01, 5e-324])
stamps = st.builds(Time, sec=st.integers(-(2**31), 2**31 - 1), nanosec=uint32)


class Peer:
    """A node, and the process of the node under test beside it."""

    def __init__(self, module: str, domain: int) -> None:
        environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
        environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        self.process = subprocess.Popen(
            [sys.executable, "-m", f"bea_ros.nodes.{module}"], env=environment
        )
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("fuzzer", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)

    def wait_for(self, condition: Any, seconds: float = 60.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert self.process.poll() is None, "the node died"
            assert time.monotonic() < deadline, "waited in vain"
            self.executor.spin_once(timeout_sec=0.01)

    def close(self) -> None:
        self.process.terminate()
        assert self.process.wait(10) == 0
        rclpy.shutdown(context=self.context)


@pytest.fixture(scope="module")
def domain() -> Iterator[int]:
    lock, number = free_domain(range(70, 102))
    yield number
    if lock:
        lock.close()
    print("\nfuzzing nodes, inputs tried: " + ", ".join(f"{n} {c}" for n, c in tried.items()))


@pytest.fixture(scope="module")
def controller(domain: int) -> Iterator[Peer]:
    peer = Peer("cpg_controller", domain)
    peer.parameters = peer.node.create_publisher(CpgParameters, "cpg_parameters", LATCHED)
    peer.commands, peer.active, peer.bad = [], [], set()
    peer.node.create_subscription(JointTrajectory, "joint_trajectory", peer.commands.append, 100)
    peer.node.create_subscription(CpgParameters, "active_parameters", peer.active.append, LATCHED)
    peer.wait_for(lambda: peer.active and peer.commands)
    yield peer
    peer.close()


@st.composite
def candidates(draw: Any) -> CpgParameters:
    """What is almost a candidate: one or two things of it are not as they should be."""
    names, values = list(NAMES), [0.5] * len(NAMES)
    robot = draw(st.sampled_from(["spider9", "spider9", "spider9", "gecko7", ""]) | st.text())
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(names) - 1))
        what = draw(st.sampled_from(["value", "name", "more", "fewer", "twice"]))
        if what == "value":
            values[at % len(values)] = draw(odd_floats)
        elif what == "name":
            names[at % len(names)] = draw(st.text(max_size=30))
        elif what == "more":
            values.append(draw(odd_floats))
        elif what == "fewer":
            values.pop()
        else:
            names[at % len(names)] = names[0]
    return CpgParameters(
        attempt=draw(uint32),
        robot=carried(robot),
        names=[carried(name) for name in names],
        values=values,
    )


def carried(text: str) -> str:
    """The text as DDS carries it: without lone surrogates and zeros."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def is_good(message: CpgParameters) -> bool:
    return (
        message.robot == "spider9"
        and sorted(message.names) == sorted(NAMES)
        and len(message.values) == len(NAMES)
        and all(abs(value) <= LARGEST_WEIGHT for value in message.values)
    )


@fuzz
@given(message=candidates(), stamp=stamps)
def test_candidates(controller: Peer, message: CpgParameters, stamp: Time) -> None:
    tried["candidates"] = message.evaluation = tried.get("candidates", 0) + 1
    if not is_good(message):
        controller.bad.add(message.evaluation)
    del controller.commands[:]
    message.header.stamp = stamp
    controller.parameters.publish(message)
    controller.wait_for(lambda: len(controller.commands) > 3)
    lower = np.array([joint.lower for joint in ROBOT.joints])
    upper = np.array([joint.upper for joint in ROBOT.joints])
    for command in controller.commands:
        positions = np.array(command.points[0].positions)
        assert ((positions >= lower) & (positions <= upper)).all()
    assert not {active.evaluation for active in controller.active} & controller.bad


@pytest.fixture(scope="module")
def camera(domain: int) -> Iterator[Peer]:
    peer = Peer("camera_localization", domain)
    world = World(ROBOT)
    arena = Arena.load(resource_path("config/arena.yaml"))
    values = {parameter.name: parameter.default for parameter in CAMERA_PARAMETERS}
    peer.simulated = SimulatedCamera(values, arena, world)
    peer.pictures = iter(range(10**9))
    peer.now = 10 * SECOND
    peer.images = peer.node.create_publisher(Image, "image_raw", images(reliable=True))
    peer.infos = peer.node.create_publisher(CameraInfo, "camera_info", LATCHED)
    peer.processed = []
    peer.node.create_subscription(Header, "image_processed", peer.processed.append, RESULTS)
    peer.evaluate = peer.node.create_client(EvaluateFitness, "evaluate_fitness")
    peer.wait_for(
        lambda: peer.images.get_subscription_count() and peer.evaluate.service_is_ready()
    )
    peer.infos.publish(peer.simulated.info())
    yield peer
    peer.close()


def show(camera: Peer) -> None:
    """A good image is processed, whatever came before."""
    picture = camera.simulated.take(camera.simulated.scene(), next(camera.pictures))

    def seen() -> bool:
        if not camera.processed:
            camera.now += SECOND // 10
            header = Header(stamp=to_stamp(camera.now))
            camera.images.publish(image(picture, header))
            camera.executor.spin_once(timeout_sec=0.05)
        return bool(camera.processed)

    del camera.processed[:]
    camera.wait_for(seen)


def image(picture: np.ndarray, header: Header) -> Image:
    return Image(
        header=header, height=480, width=640, encoding="mono8", step=640,
        data=array.array("B", picture.tobytes()),
    )  # fmt: skip


sizes = st.integers(0, 700) | st.sampled_from([640, 480, 2**31, 2**32 - 1])


@fuzz
@given(
    height=sizes,
    width=sizes,
    step=sizes,
    encoding=st.sampled_from(["mono8", "rgb8", "bgra8", "yuv422", "mono16", "bayer_rggb8", ""]),
    cut=st.sampled_from([0, 1, 640 * 480, 640 * 479, 320]),
    filling=st.sampled_from([0, 127, 255]),
    stamp=stamps | st.none(),
)  # fmt: skip
def test_images(
    camera: Peer, height: int, width: int, step: int, encoding: str, cut: int, filling: int,
    stamp: Time | None,
) -> None:  # fmt: skip
    tried["images"] = tried.get("images", 0) + 1
    size = min(height * step, 2**21) if height * step < 2**22 else 640 * 480
    data = array.array("B", bytes([filling]) * max(0, size - cut % (size + 1)))
    camera.now += SECOND // 10
    message = Image(height=height, width=width, step=step, encoding=encoding, data=data)
    message.header.stamp = stamp or to_stamp(camera.now)
    camera.images.publish(message)
    show(camera)


@fuzz
@given(
    height=uint32,
    width=uint32,
    k=st.lists(odd_floats, min_size=9, max_size=9),
    d=st.lists(odd_floats, max_size=15),
    model=st.sampled_from(["plumb_bob", "rational_polynomial", "equidistant", ""]),
)
def test_camera_infos(
    camera: Peer, height: int, width: int, k: list[float], d: list[float], model: str
) -> None:
    tried["camera_infos"] = tried.get("camera_infos", 0) + 1
    message = CameraInfo(height=height, width=width, k=k, d=d, distortion_model=model)
    camera.infos.publish(message)
    show(camera)


@fuzz
@given(
    evaluation=uint32,
    task=st.sampled_from(["gait", "gait", "rotating", "directed_locomotion", "dance", ""]),
    start=stamps | st.none(),
    duration=odd_floats | st.floats(0.05, 0.5),
)
def test_requests(
    camera: Peer, evaluation: int, task: str, start: Time | None, duration: float
) -> None:
    tried["requests"] = tried.get("requests", 0) + 1
    request = EvaluateFitness.Request(evaluation=evaluation, task=task, duration=duration)
    request.start = start or to_stamp(camera.now)
    answer = camera.evaluate.call_async(request)
    for _ in range(3):
        show(camera)

    def answered() -> bool:
        if not answer.done():
            if 10 < duration <= 3600:  # it waits for its window, as it should: time jumps there
                camera.now += round(duration / 2 * SECOND)
            show(camera)
        return answer.done()

    camera.wait_for(answered)
    response = answer.result()
    if response.success:
        assert task in ("gait", "rotating", "directed_locomotion")
        assert 0.1 <= duration <= 3600
        assert np.isfinite(response.fitness)
        assert len(response.term_names) == len(response.terms)
    else:
        assert response.message
