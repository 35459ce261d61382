# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever comes over the network: the real nodes live, answer, and move nothing by it."""

from __future__ import annotations

import array
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
import pytest
from bea_ros_interfaces.msg import CpgParameters
from bea_ros_interfaces.srv import EvaluateFitness
from builtin_interfaces.msg import Time
from fuzzing import changed, count, fuzz
from hypothesis import given
from hypothesis import strategies as st
from peer import Peer, carried, odd_floats, stamps, uint32
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory

from bea_ros.localization.arena import Arena
from bea_ros.nodes.shared.qos import LATCHED, RESULTS, images
from bea_ros.nodes.shared.stamps import to_stamp
from bea_ros.nodes.simulator.parameters import CAMERA_PARAMETERS, camera_info, camera_of
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import LARGEST_WEIGHT
from bea_ros.simulation.observed import WorldCamera
from bea_ros.simulation.world import World
from bea_ros.system.nanoseconds import SECOND
from bea_ros.system.resources import resource_path

pytestmark = pytest.mark.graph
ROBOT = load_robot("spider9")
NAMES = ROBOT.parameter_names


@pytest.fixture(scope="module")
def controller(domain: int) -> Iterator[Peer]:
    peer = Peer("cpg_controller", domain)
    peer.parameters = peer.node.create_publisher(CpgParameters, "cpg_parameters", LATCHED)
    peer.commands, peer.active, peer.bad = [], [], set()
    peer.node.create_subscription(JointTrajectory, "joint_trajectory", peer.commands.append, 100)
    peer.node.create_subscription(CpgParameters, "active_parameters", peer.active.append, LATCHED)
    peer.wait_for(lambda: peer.active and peer.commands)
    with peer:
        yield peer


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


def is_good(message: CpgParameters) -> bool:
    return (
        message.robot == "spider9"
        and sorted(message.names) == sorted(NAMES)
        and len(message.values) == len(NAMES)
        and all(abs(value) <= LARGEST_WEIGHT for value in message.values)
    )


def test_a_good_candidate_is_taken_up(controller: Peer) -> None:
    """Else what follows would say nothing."""
    values = [0.5] * len(NAMES)
    message = CpgParameters(evaluation=2**31, robot="spider9", names=NAMES, values=values)

    def taken() -> bool:
        controller.parameters.publish(message)
        return any(active.evaluation == 2**31 for active in controller.active)

    controller.wait_for(taken)


@fuzz
@given(message=candidates(), stamp=st.just(Time()) | stamps)
def test_candidates(controller: Peer, message: CpgParameters, stamp: Time) -> None:
    message.evaluation = count("candidates")
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


def camera_peer(domain: int, kind: type[Any], topic: str, *words: str, namespace: str) -> Peer:
    """A camera_localization that is shown its arena."""
    peer = Peer("camera_localization", domain, *words, namespace=namespace)
    world = World(ROBOT)
    arena = Arena.load(resource_path("config/arena.yaml"))
    values = {parameter.name: parameter.default for parameter in CAMERA_PARAMETERS}
    peer.simulated = WorldCamera(world, camera_of(values, arena))
    peer.pictures = iter(range(10**9))
    peer.now = 10 * SECOND
    peer.image = IMAGES[kind]
    peer.images = peer.node.create_publisher(kind, topic, images(reliable=True))
    peer.infos = peer.node.create_publisher(CameraInfo, "camera_info", LATCHED)
    peer.processed = []
    peer.node.create_subscription(Header, "image_processed", peer.processed.append, RESULTS)
    peer.evaluate = peer.node.create_client(EvaluateFitness, "evaluate_fitness")
    peer.wait_for(
        lambda: peer.images.get_subscription_count() and peer.evaluate.service_is_ready()
    )
    peer.infos.publish(camera_info(peer.simulated.camera.intrinsics))
    return peer


@pytest.fixture(scope="module")
def camera(domain: int) -> Iterator[Peer]:
    peer = camera_peer(domain, Image, "image_raw", namespace="/raw")
    with peer:
        yield peer


@pytest.fixture(scope="module")
def jpeg_camera(domain: int) -> Iterator[Peer]:
    words = ("-p", "image_transport:=compressed")
    topic = "image_raw/compressed"
    peer = camera_peer(domain, CompressedImage, topic, *words, namespace="/jpeg")
    with peer:
        yield peer


def show(camera: Peer) -> None:
    """A good image is processed, whatever came before."""
    picture = camera.simulated.take(camera.simulated.world.scene(), next(camera.pictures))

    def seen() -> bool:
        if not camera.processed:
            camera.now += SECOND // 10
            header = Header(stamp=to_stamp(camera.now))
            camera.images.publish(camera.image(picture, header))
            camera.executor.spin_once(timeout_sec=0.05)
        return bool(camera.processed)

    del camera.processed[:]
    camera.wait_for(seen)


def image(picture: np.ndarray, header: Header) -> Image:
    return Image(
        header=header, height=480, width=640, encoding="mono8", step=640,
        data=array.array("B", picture.tobytes()),
    )  # fmt: skip


def compressed(picture: np.ndarray, header: Header) -> CompressedImage:
    jpeg = cv2.imencode(".jpg", picture)[1]
    return CompressedImage(header=header, format="jpeg", data=array.array("B", jpeg.tobytes()))


IMAGES = {Image: image, CompressedImage: compressed}


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
    count("images")
    size = min(height * step, 2**21) if height * step < 2**22 else 640 * 480
    data = array.array("B", bytes([filling]) * max(0, size - cut % (size + 1)))
    camera.now += SECOND // 10
    message = Image(height=height, width=width, step=step, encoding=encoding, data=data)
    message.header.stamp = stamp or to_stamp(camera.now)
    camera.images.publish(message)
    show(camera)


@fuzz
@given(data=st.data(), stamp=stamps | st.none())
def test_compressed_images(jpeg_camera: Peer, data: st.DataObject, stamp: Time | None) -> None:
    count("compressed images to the node")
    camera = jpeg_camera
    camera.now += SECOND // 10
    picture = camera.simulated.take(camera.simulated.world.scene(), next(camera.pictures))
    message = compressed(picture, Header(stamp=stamp or to_stamp(camera.now)))
    content = data.draw(changed(st.just(message.data.tobytes())) | st.binary(max_size=30))
    message.data = array.array("B", content)
    message.format = carried(data.draw(st.sampled_from(["jpeg", "png", ""]) | st.text()))
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
    count("camera infos")
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
    count("requests")
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
