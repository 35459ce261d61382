# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Somebody else's node on the graph of a run: the log is that of the undisturbed run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bea_ros_interfaces.msg import CpgParameters
from bea_ros_interfaces.srv import EvaluateFitness
from geometry_msgs.msg import Point, PoseWithCovarianceStamped
from graph import after
from peer import Peer
from rclpy.duration import Duration
from rclpy.publisher import Publisher
from robot_player import measured as measured_by
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Bool, Header, String
from std_srvs.srv import Trigger
from stranger import Stranger, measured

from bea_ros.localization.arena import load_arena
from bea_ros.nodes.shared.image_messages import message_of
from bea_ros.nodes.shared.qos import CONTROL, LATCHED, RESULTS, images
from bea_ros.nodes.shared.stamps import to_nanoseconds, to_stamp
from bea_ros.nodes.simulator.parameters import CAMERA_PARAMETERS, camera_info, camera_of
from bea_ros.robots import load_robot
from bea_ros.simulation.observed import WorldCamera
from bea_ros.simulation.world import World
from bea_ros.system.nanoseconds import SECOND

pytestmark = pytest.mark.graph


@pytest.fixture
def undisturbed(undisturbed_run: tuple[Path, str]) -> list[str]:
    """The log of a run that nothing disturbed."""
    return measured(undisturbed_run[0])


@pytest.fixture
def stranger(domain: int, tmp_path: Path) -> Iterator[Stranger]:
    """Slow, lest the run is over before a busy machine lets the strangers come."""
    with Stranger(tmp_path / "run", domain, "--real-time-factor", "1") as made:
        yield made


def crowd(do: str, name: str) -> str:
    """What the run says of two that do the same."""
    return f"2 {do} /{name}: all are ignored until one is left"


def second_server(stranger: Stranger) -> None:
    """It knows a better fitness, at once, of a window that nobody asked for."""

    def answer(
        request: EvaluateFitness.Request, _: EvaluateFitness.Response
    ) -> EvaluateFitness.Response:
        better = measured_by(to_nanoseconds(request.start), 0.01)
        better.fitness = 42.0
        return better

    service = stranger.node.create_service(EvaluateFitness, "evaluate_fitness", answer)
    stranger.stay(crowd("serve", "evaluate_fitness"))
    stranger.node.destroy_service(service)


def second_reset(stranger: Stranger) -> None:
    """It says that the robot is at home, at once."""
    done = Trigger.Response(success=True)
    service = stranger.node.create_service(Trigger, "reset", lambda *_: done)
    stranger.stay(crowd("serve", "reset"))
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

    noticed = crowd("publish", "active_parameters")
    stranger.echo(CpgParameters, "active_parameters", LATCHED, say, noticed=noticed)


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

    noticed = crowd("publish", "image_processed")
    where = (Header, "image_processed", RESULTS)
    stranger.echo(CameraInfo, "camera_info", LATCHED, say, *where, noticed)


def other_driver(stranger: Stranger) -> None:
    """It says that the servos of a simulated robot are relaxed."""
    publisher = stranger.node.create_publisher(Bool, "armed", LATCHED)
    publisher.publish(Bool(data=False))
    stranger.listen(1.0)
    stranger.node.destroy_publisher(publisher)


def other_trouble(stranger: Stranger) -> None:
    """It says for the simulator that something is wrong, and is silent from then on."""
    publisher = stranger.node.create_publisher(String, "robot_trouble", CONTROL)
    publisher.publish(String(data="the robot is on fire"))
    stranger.listen(1.0)
    stranger.node.destroy_publisher(publisher)


STRANGERS = (
    second_server, second_reset, other_start, other_camera, other_processing, other_driver,
    other_trouble,
)  # fmt: skip


def resets_to_the_end(stranger: Stranger) -> list[Trigger.Response]:
    """The answers to somebody who asks for a reset again and again, until the run is over."""
    reset = stranger.node.create_client(Trigger, "reset")
    stranger.wait_for(reset.service_is_ready)
    answers = []
    while stranger.run.poll() is None:
        future = reset.call_async(Trigger.Request())
        unheard = after(5.0)
        stranger.wait_for(
            lambda future=future, unheard=unheard: (
                future.done() or stranger.run.poll() is not None or unheard()
            )
        )
        if future.done():
            answers.append(future.result())
        stranger.listen(0.1)
    return answers


def test_who_says_what_only_one_may_say_is_not_heeded(
    undisturbed: list[str], stranger: Stranger
) -> None:
    for strange in STRANGERS:
        done = stranger.done
        stranger.wait_for(lambda done=done: stranger.done > done)
        strange(stranger)
    answers = resets_to_the_end(stranger)
    assert stranger.finish() == undisturbed
    refused = [answer.message for answer in answers if not answer.success]
    assert refused, "none was asked for in the middle of an evaluation"
    assert all("drives the joints" in message for message in refused)


def test_a_strangers_camera_info_holds_no_longer_than_the_stranger(domain: int) -> None:
    robot = load_robot("spider9")
    values = {parameter.name: parameter.default for parameter in CAMERA_PARAMETERS}
    camera = WorldCamera(World(robot), camera_of(values, load_arena(robot)))
    right, wrong = (camera_info(camera.camera.intrinsics) for _ in range(2))
    wrong.k[0], wrong.k[4] = 2 * right.k[0], 2 * right.k[4]
    with Peer("camera_localization", domain, namespace="/lens") as peer:
        node, poses = peer.node, []
        node.create_subscription(PoseWithCovarianceStamped, "pose", poses.append, RESULTS)
        pictures = node.create_publisher(Image, "image_raw", images(reliable=True))
        numbers = itertools.count(1)
        said: list[tuple[Publisher, CameraInfo]] = []  # with each picture

        def show() -> None:
            number = next(numbers)
            header = Header(stamp=to_stamp(number * SECOND // 10))
            for one, info in said:
                one.publish(info)
            pictures.publish(message_of(camera.take(camera.world.scene(), number), header))

        def shown(enough: Callable[[], bool]) -> bool:
            show()
            return enough()

        def placed() -> bool:
            place = poses[-1].pose.pose.position if poses else Point(x=1.0)
            return (place.x, place.y) == pytest.approx((0.0, 0.0), abs=0.005)

        infos = [node.create_publisher(CameraInfo, "camera_info", LATCHED) for _ in range(2)]
        peer.wait_for(lambda: all(one.get_subscription_count() for one in infos))
        for one in infos:
            one.publish(CameraInfo())  # a camera's that is not calibrated
            peer.wait_for(lambda one=one: one.wait_for_all_acked(Duration(seconds=0.1)))
        said += [(infos[0], wrong), (infos[1], right)]  # none is heeded, as both are known
        later = after(1.0)
        peer.wait_for(lambda: shown(later))
        assert not poses
        del said[1]
        node.destroy_publisher(infos.pop())  # the stranger came first, and is alone
        later = after(1.0)
        peer.wait_for(lambda: shown(later))
        said.clear()
        node.destroy_publisher(infos.pop())
        said.append((node.create_publisher(CameraInfo, "camera_info", LATCHED), right))
        del poses[:]
        peer.wait_for(lambda: shown(placed))
