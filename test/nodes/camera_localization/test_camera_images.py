# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The localization node with images as camera drivers send them: compressed, damaged."""

from __future__ import annotations

import itertools
import math
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest
from bea_ros_interfaces.srv import EvaluateFitness
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseWithCovarianceStamped
from graph import end, node_process
from guest import Guest
from nav_msgs.msg import Path as PathMessage
from rclpy.task import Future
from sensor_msgs.msg import CameraInfo, CompressedImage
from std_msgs.msg import Header

from bea_ros.bench.localization import Scene
from bea_ros.localization.camera_info import write_camera_info
from bea_ros.localization.steadiness import BUFFERS
from bea_ros.nodes.camera_localization.node import SHOW_PERIOD
from bea_ros.nodes.shared.qos import LATCHED, RESULTS, images
from bea_ros.nodes.shared.stamps import to_nanoseconds, to_stamp
from bea_ros.system.nanoseconds import SECOND

pytestmark = pytest.mark.graph
PERIOD = SECOND // 4
SEVERAL = BUFFERS + 2  # images that differ, so that the camera does not count as stuck


class Driver(Guest):
    """Plays a camera's driver, and keeps the poses that the localization finds."""

    def __init__(self, domain: int) -> None:
        super().__init__("driver", domain)
        self.poses: dict[int, tuple[float, float]] = {}
        self.processed: list[int] = []
        self.status = DiagnosticStatus()
        self.images = self.node.create_publisher(
            CompressedImage, "image_raw/compressed", images(reliable=False)
        )
        self.node.create_subscription(PoseWithCovarianceStamped, "pose", self.on_pose, RESULTS)
        self.node.create_subscription(Header, "image_processed", self.on_header, RESULTS)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self.on_status, RESULTS)
        self.fitness = self.node.create_client(EvaluateFitness, "evaluate_fitness")

    def on_pose(self, message: PoseWithCovarianceStamped) -> None:
        position = message.pose.pose.position
        self.poses[to_nanoseconds(message.header.stamp)] = position.x, position.y

    def on_header(self, message: Header) -> None:
        self.processed.append(to_nanoseconds(message.stamp))

    def on_status(self, message: DiagnosticArray) -> None:
        (self.status,) = message.status

    def ask(self, start: int, duration: float) -> Future:
        """Ask for the fitness of an evaluation from a time (ns) on, which takes so long (s)."""
        self.wait_for(self.fitness.service_is_ready)
        request = EvaluateFitness.Request(evaluation=1, task="gait", duration=duration)
        request.start = to_stamp(start)
        return self.fitness.call_async(request)

    def send(self, stamp: int, data: bytes) -> None:
        message = CompressedImage(format="mono8; jpeg compressed mono8", data=data)
        message.header.stamp = to_stamp(stamp)
        self.images.publish(message)

    def show(self, stamp: int, data: bytes) -> None:
        """Send an image until it is processed: a busy machine loses some of best effort."""

        def processed() -> bool:
            self.send(stamp, data)  # what comes twice is looked at once
            return stamp in self.processed

        self.wait_for(processed)

    def damaged(self) -> int:
        """How many images could not be read."""
        found = {value.key: value.value for value in self.status.values}
        return int(found.get("images that could not be read", 0))

    def meet(self, data: bytes) -> int:
        """Send images until there is a pose: all have found each other. The next free stamp."""
        stamps = itertools.count(PERIOD, PERIOD // 10)

        def answered() -> bool:
            self.send(next(stamps), data)
            return bool(self.poses)

        self.wait_for(answered)
        return next(stamps) + PERIOD


@pytest.fixture
def driver(domain: int) -> Iterator[Driver]:
    with Driver(domain) as made:
        yield made


@contextmanager
def localization(domain: int, path: Path, *words: str) -> Iterator[subprocess.Popen]:
    """The node, for JPEGs of the camera in the file at `path`."""
    process = node_process(
        "camera_localization", domain, "-p", "image_transport:=compressed",
        "-p", f"camera_info_file:={path}", "-p", "reliable_images:=false", *words,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        end(process)


def calibrated_scene(folder: Path) -> tuple[Scene, Path, np.ndarray]:
    """A scene, its camera's calibration file, and a pose of the robot in it."""
    scene = Scene(640, 480, seed=4)
    path = folder / "camera.yaml"
    write_camera_info(path, "overhead", scene.camera.intrinsics)
    (start, _), *_ = scene.random_poses(1)
    return scene, path, start


def jpeg_of(scene: Scene, base: np.ndarray, frame: int) -> bytes:
    return cv2.imencode(".jpg", scene.picture(base, frame))[1].tobytes()


def test_jpegs_give_poses_and_damaged_ones_are_told_once(driver, domain, tmp_path) -> None:
    scene, path, start = calibrated_scene(tmp_path)
    with localization(domain, path) as process:
        begin = driver.meet(jpeg_of(scene, start, 0))
        truth = {}
        for frame in range(12):
            stamp = begin + frame * PERIOD
            base = start.copy()
            base[:2, 3] += 0.01 * frame * np.sign(-base[:2, 3])
            jpeg = jpeg_of(scene, base, frame + 1)
            third = len(jpeg) // 3
            if frame % 4 == 2:  # some of it lost on the way
                jpeg = jpeg[:third] + jpeg[third + 700 :]
                before = driver.damaged()

                def noticed(stamp: int = stamp, jpeg: bytes = jpeg, before: int = before) -> bool:
                    driver.send(stamp, jpeg)
                    return driver.damaged() > before

                driver.wait_for(noticed)
                continue
            truth[stamp] = base[:2, 3]
            driver.show(stamp, jpeg)
        driver.wait_for(lambda: driver.poses.keys() >= truth.keys())
        found = {stamp for stamp in driver.poses if stamp >= begin}
    said = process.communicate()[0]
    assert found == truth.keys()
    for stamp, place in truth.items():
        assert np.linalg.norm(driver.poses[stamp] - place) < 0.012
    assert said.count("damaged image") == 1, said
    assert "Corrupt JPEG data" in said


def test_diagnostics_do_not_say_that_all_is_well_without_images(driver, domain, tmp_path) -> None:
    scene, path, start = calibrated_scene(tmp_path)
    jpegs = [jpeg_of(scene, start, frame) for frame in range(SEVERAL)]
    with localization(domain, path, "-p", "camera_timeout:=2.0"):
        stamps = itertools.count(driver.meet(jpegs[0]), PERIOD)

        def seen_again() -> bool:
            stamp = next(stamps)
            driver.send(stamp, jpegs[stamp // PERIOD % SEVERAL])
            return driver.status.message == "robot seen"

        for _ in range(2):
            driver.wait_for(seen_again)
            assert driver.status.level == DiagnosticStatus.OK
            driver.wait_for(lambda: driver.status.level == DiagnosticStatus.ERROR)
            assert driver.status.message.startswith("no image that can be used for ")


def test_who_asks_why_nothing_is_seen_hears_that_camera_info_is_refused(driver, domain) -> None:
    info = CameraInfo(width=640, height=480, distortion_model="equidistant", d=[0.0] * 4)
    info.k = [500.0, 0.0, 320.0, 0.0, 500.0, 240.0, 0.0, 0.0, 1.0]
    infos = driver.node.create_publisher(CameraInfo, "camera_info", images(reliable=True))
    refusal = "camera_info: "
    process = node_process("camera_localization", domain, "-p", "camera_timeout:=1.0")
    try:

        def refused() -> bool:
            infos.publish(info)
            return driver.status.message.startswith(refusal)

        driver.wait_for(refused)
        assert "equidistant" in driver.status.message
        answer = driver.ask(time.time_ns(), 1.0)
        driver.wait_for(answer.done)
        assert answer.result().message == driver.status.message
    finally:
        end(process)


def test_an_evaluation_in_which_a_marker_is_there_twice_is_refused(driver, domain, tmp_path):
    """By its id and both places, and the robot is not to blame."""
    scene, path, start = calibrated_scene(tmp_path)
    idle = start.copy()
    idle[0, 3] -= math.copysign(0.8, idle[0, 3])
    alone = [scene.picture(start, frame) for frame in range(SEVERAL)]
    both = [np.minimum(image, scene.picture(idle, SEVERAL)) for image in alone]  # the darker
    good, bad = ([cv2.imencode(".jpg", image)[1].tobytes() for image in kind]
                 for kind in (alone, both))  # fmt: skip
    with localization(domain, path, "-p", "use_sim_time:=true"):
        first = driver.meet(good[0])
        answer = driver.ask(first, 10.0)
        for number, stamp in enumerate(range(first, first + 11 * SECOND, PERIOD)):
            driver.show(stamp, (bad if 8 <= number < 32 else good)[number % SEVERAL])
        driver.wait_for(answer.done)
    message = answer.result().message
    assert not answer.result().success
    assert not answer.result().tumbled
    assert "robot marker 0 is in the image twice" in message
    for base in (start, idle):
        assert f"x {base[0, 3]:+.2f}"[:-1] in message


@pytest.mark.parametrize("step", [-0.7, 0.7])
def test_an_evaluation_in_which_the_images_clock_is_set_is_refused(driver, domain, tmp_path, step):
    """By less than a dropout, so that neither the images nor the poses show it."""
    scene, path, start = calibrated_scene(tmp_path)
    jpegs = [jpeg_of(scene, start, frame) for frame in range(SEVERAL)]
    with localization(domain, path):
        driver.meet(jpegs[0])

        def refused() -> bool:
            """Again where a busy machine left out images for so long that the robot was lost."""
            began, wall, number, sent = time.time_ns(), time.monotonic(), 0, 0
            answer = driver.ask(began + SECOND, 4.0)

            def answered() -> bool:
                nonlocal number, sent
                if not sent or sent in driver.processed[-100:]:  # else again, or it seems stuck
                    stamp = time.monotonic() - wall
                    sent = began + round((stamp + step * (stamp > 3.0)) * SECOND)
                    number += 1
                driver.send(sent, jpegs[number % SEVERAL])
                return answer.done()

            driver.wait_for(answered)
            assert not answer.result().success
            return "by the images' clock than by this machine's" in answer.result().message

        driver.wait_for(refused)


def test_the_path_is_drawn_less_often_than_images_come(driver, domain, tmp_path) -> None:
    """Its minute of poses takes longer to say than an image to look at."""
    paths: list[PathMessage] = []
    driver.node.create_subscription(PathMessage, "path", paths.append, LATCHED)
    scene, path, start = calibrated_scene(tmp_path)
    jpegs = [jpeg_of(scene, start, frame) for frame in range(SEVERAL)]
    with localization(domain, path):
        first = driver.meet(jpegs[0])
        stamps = range(first, first + 60 * PERIOD // 10, PERIOD // 10)
        began = time.monotonic()
        paths.clear()  # of what came until all had found each other
        for number, stamp in enumerate(stamps, 1):
            driver.show(stamp, jpegs[number % SEVERAL])
        driver.wait_for(
            lambda: paths and to_nanoseconds(paths[-1].poses[-1].header.stamp) == stamp
        )
        assert len(paths) <= (time.monotonic() - began) / SHOW_PERIOD + 2
