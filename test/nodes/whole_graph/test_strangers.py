# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Somebody else's node on the graph of a run: the log is that of the undisturbed run."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from bea_ros_interfaces.msg import CpgParameters
from bea_ros_interfaces.srv import EvaluateFitness
from geometry_msgs.msg import PoseWithCovarianceStamped
from graph import UNDISTURBED as EVALUATIONS
from graph import evaluations_in, kill_all, learn_command, log_of
from peer import Peer
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from robot_player import measured as measured_by
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Bool, Header, String
from std_srvs.srv import Trigger

from bea_ros.localization.arena import load_arena
from bea_ros.nodes.shared.image_messages import message_of
from bea_ros.nodes.shared.qos import CONTROL, LATCHED, RESULTS, images
from bea_ros.nodes.shared.stamps import SECOND, to_nanoseconds, to_stamp
from bea_ros.nodes.simulator.parameters import CAMERA_PARAMETERS, SimulatedCamera
from bea_ros.robots import load_robot
from bea_ros.simulation.world import World

pytestmark = pytest.mark.graph


@pytest.fixture
def undisturbed(undisturbed_run: tuple[Path, str]) -> list[str]:
    """The log of a run that nothing disturbed."""
    return measured(undisturbed_run[0])


def measured(folder: Path) -> list[str]:
    """The log, but for how often each evaluation was tried."""
    return [re.sub(r', "attempts": \d+', "", line) for line in log_of(folder)]


class Stranger:
    """A run, and a node beside it that nobody asked for."""

    def __init__(self, folder: Path, domain: int, *words: str) -> None:
        self.folder = folder
        environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
        command = learn_command(folder, EVALUATIONS, 1, *words)
        self.said = folder.with_suffix(".txt").open("w+")
        self.run = subprocess.Popen(
            command, env=environment, stdout=self.said, stderr=self.said, start_new_session=True
        )
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("stranger", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)

    def spin(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.executor.spin_once(timeout_sec=0.01)

    @property
    def done(self) -> int:
        return evaluations_in(self.folder)

    def echo(
        self,
        kind: type,
        topic: str,
        qos: QoSProfile,
        say: Callable[[Any], Any],
        other_kind: type | None = None,
        other: str = "",
        other_qos: QoSProfile | None = None,
    ) -> None:
        """For a while say on a topic, or another one, what `say` makes of what is said there."""
        publisher = self.node.create_publisher(
            other_kind or kind, other or topic, other_qos or qos
        )

        def on_message(message: Any) -> None:
            if (said := say(message)) is not None:
                publisher.publish(said)

        subscription = self.node.create_subscription(kind, topic, on_message, qos)
        self.spin(1.0)
        self.node.destroy_subscription(subscription)
        self.node.destroy_publisher(publisher)

    def wait_for(self, condition: Any) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert self.run.poll() is None, self.words
            assert time.monotonic() < deadline, self.words
            self.spin(0.01)

    @property
    def words(self) -> str:
        self.said.seek(0)
        return self.said.read()

    def finish(self) -> list[str]:
        """The log of the run, but for its attempts."""
        deadline = time.monotonic() + 120
        while self.run.poll() is None and time.monotonic() < deadline:
            self.spin(0.1)
        assert self.run.returncode == 0, self.words
        return measured(self.folder)

    def close(self) -> None:
        kill_all(self.run)
        self.said.close()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def stranger(domain: int, tmp_path: Path) -> Iterator[Stranger]:
    made = Stranger(tmp_path / "run", domain, "--real-time-factor", "4")
    yield made
    made.close()


def test_a_reset_in_the_middle_of_an_evaluation_is_refused(
    undisturbed: list[str], stranger: Stranger
) -> None:
    reset = stranger.node.create_client(Trigger, "reset")
    stranger.wait_for(lambda: stranger.done and reset.service_is_ready())
    answers = []
    while stranger.run.poll() is None:
        future = reset.call_async(Trigger.Request())
        until = time.monotonic() + 5
        while not future.done() and stranger.run.poll() is None and time.monotonic() < until:
            stranger.spin(0.02)
        if future.done():
            answers.append(future.result())
        stranger.spin(0.1)
    assert stranger.finish() == undisturbed
    refused = [answer.message for answer in answers if not answer.success]
    assert refused
    assert all("drives the joints" in message for message in refused)


def second_server(stranger: Stranger) -> None:
    """It knows a better fitness, at once, of a window that nobody asked for."""

    def answer(
        request: EvaluateFitness.Request, _: EvaluateFitness.Response
    ) -> EvaluateFitness.Response:
        better = measured_by(to_nanoseconds(request.start), 0.01)
        better.fitness = 42.0
        return better

    service = stranger.node.create_service(EvaluateFitness, "evaluate_fitness", answer)
    stranger.spin(1.0)
    stranger.node.destroy_service(service)


def second_reset(stranger: Stranger) -> None:
    """It says that the robot is at home, at once."""
    done = Trigger.Response(success=True)
    service = stranger.node.create_service(Trigger, "reset", lambda *_: done)
    stranger.spin(1.0)
    stranger.node.destroy_service(service)


def other_start(stranger: Stranger) -> None:
    """It says that the candidate took over half a second later."""

    def say(message: CpgParameters) -> CpgParameters | None:
        if message.names and message.header.frame_id != "stranger":
            message.header.frame_id = "stranger"
            later = to_nanoseconds(message.header.stamp) + SECOND // 2
            message.header.stamp = to_stamp(later)
            return message
        return None

    stranger.echo(CpgParameters, "active_parameters", LATCHED, say)


def other_camera(stranger: Stranger) -> None:
    """It says that the camera's angle of view is half as wide."""

    def say(message: CameraInfo) -> CameraInfo | None:
        if message.header.frame_id != "stranger":
            message.header.frame_id = "stranger"
            message.k[0] *= 2
            message.k[4] *= 2
            return message
        return None

    stranger.echo(CameraInfo, "camera_info", LATCHED, say)


def other_processing(stranger: Stranger) -> None:
    """It says that each image was processed, before it is."""

    def say(message: CameraInfo) -> Header:
        return message.header

    stranger.echo(CameraInfo, "camera_info", LATCHED, say, Header, "image_processed", RESULTS)


def other_driver(stranger: Stranger) -> None:
    """It says that the servos of a simulated robot are relaxed."""
    publisher = stranger.node.create_publisher(Bool, "armed", LATCHED)
    publisher.publish(Bool(data=False))
    stranger.spin(1.0)
    stranger.node.destroy_publisher(publisher)


def other_trouble(stranger: Stranger) -> None:
    """It says for the simulator that something is wrong, and is silent from then on."""
    publisher = stranger.node.create_publisher(String, "robot_trouble", CONTROL)
    publisher.publish(String(data="the robot is on fire"))
    stranger.spin(1.0)
    stranger.node.destroy_publisher(publisher)


STRANGERS = (
    second_server, second_reset, other_start, other_camera, other_processing, other_driver,
    other_trouble,
)  # fmt: skip


def test_who_says_what_only_one_may_say_is_not_heeded(
    undisturbed: list[str], stranger: Stranger
) -> None:
    for strange in STRANGERS:
        done = stranger.done
        stranger.wait_for(lambda done=done: stranger.done > done)
        strange(stranger)
    assert stranger.finish() == undisturbed
    for service in ("evaluate_fitness", "reset"):
        assert f"2 serve /{service}: all are ignored until one is left" in stranger.words
    for topic in ("active_parameters", "image_processed"):
        assert f"2 publish /{topic}: all are ignored" in stranger.words


def test_a_strangers_camera_info_holds_no_longer_than_the_stranger(domain: int) -> None:
    robot = load_robot("spider9")
    values = {parameter.name: parameter.default for parameter in CAMERA_PARAMETERS}
    camera = SimulatedCamera(values, load_arena(robot), World(robot))
    right, wrong = camera.info(), camera.info()
    wrong.k[0], wrong.k[4] = 2 * right.k[0], 2 * right.k[4]
    peer = Peer("camera_localization", domain, namespace="/lens")
    try:
        node, poses = peer.node, []
        node.create_subscription(PoseWithCovarianceStamped, "pose", poses.append, RESULTS)
        pictures = node.create_publisher(Image, "image_raw", images(reliable=True))
        numbers = itertools.count(1)

        def show() -> None:
            number = next(numbers)
            header = Header(stamp=to_stamp(number * SECOND // 10))
            pictures.publish(message_of(camera.take(camera.scene(), number), header))

        def shown(enough: Callable[[], bool]) -> bool:
            show()
            return enough()

        infos = [node.create_publisher(CameraInfo, "camera_info", LATCHED) for _ in range(2)]
        peer.wait_for(lambda: all(one.get_subscription_count() for one in infos))
        infos[0].publish(wrong)  # none is heeded, as there are two
        infos[1].publish(right)
        later = peer.after(1.0)
        peer.wait_for(lambda: shown(later))
        assert not poses
        node.destroy_publisher(infos.pop())
        infos[0].publish(wrong)  # the stranger came first, and is alone
        later = peer.after(1.0)
        peer.wait_for(lambda: shown(later))
        node.destroy_publisher(infos.pop())
        del poses[:]
        infos.append(node.create_publisher(CameraInfo, "camera_info", LATCHED))
        infos[0].publish(right)
        later = peer.after(1.0)
        peer.wait_for(lambda: shown(later))
        del poses[:]
        peer.wait_for(lambda: shown(lambda: bool(poses)))
        place = poses[-1].pose.pose.position
        assert (place.x, place.y) == pytest.approx((0.0, 0.0), abs=0.005)
    finally:
        peer.close()
