# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea calibrate-camera and bea check-arena in front of a camera that publishes, over real DDS."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Callable, Iterator

import cv2
import numpy as np
import pytest
from graph import BEA, wait_for
from guest import Guest
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import Header

from bea_ros.bench.localization import Scene
from bea_ros.camera_setup.board import Board
from bea_ros.localization.camera_info import read_camera_info
from bea_ros.nodes.shared.image_messages import message_of
from bea_ros.nodes.shared.qos import images
from bea_ros.simulation.camera.overhead import default_intrinsics

pytestmark = pytest.mark.graph


@pytest.fixture
def node(domain: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Node]:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    with Guest("driver", domain) as driver:
        yield driver.node


def run(publish: Callable[[], None], *arguments: str, code: int = 0) -> str:
    """A command's output, while something is published again and again; it ends with `code`."""
    process = subprocess.Popen(
        [*BEA, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip

    def ended() -> bool:
        publish()
        return process.poll() is not None

    try:
        wait_for(ended)
    finally:
        process.kill()
        said = process.communicate()[0]
    assert process.returncode == code, said
    return said


def test_images_that_cannot_be_read_end_a_command_in_a_line(node) -> None:
    """It waited for one that can, without a word."""
    pictures = node.create_publisher(Image, "image_raw", images(reliable=False))
    bayer = Image(width=2, height=2, step=2, encoding="bayer_rggb8", data=bytes(4))
    (line,) = run(lambda: pictures.publish(bayer), "calibrate-camera", code=2).splitlines()
    assert "no image on /image_raw can be read: image encoding 'bayer_rggb8' is not" in line


@pytest.mark.parametrize("namespace", ["", "/overhead/"])
def test_the_arena_is_checked_from_jpegs(node, tmp_path, namespace: str) -> None:
    scene = Scene(640, 480, seed=4)
    (base, _), *_ = scene.random_poses(1)
    jpeg = cv2.imencode(".jpg", scene.picture(base, 0))[1].tobytes()
    qos = images(reliable=False)
    topic = f"{namespace}image_raw"
    pictures = node.create_publisher(CompressedImage, f"{topic}/compressed", qos)
    infos = node.create_publisher(CameraInfo, f"{namespace}camera_info", qos)
    k, d = scene.camera.intrinsics.matrix, scene.camera.intrinsics.distortion
    info = CameraInfo(width=640, height=480, k=k.ravel(), d=d, distortion_model="plumb_bob")

    def publish() -> None:
        infos.publish(info)
        pictures.publish(CompressedImage(format="jpeg", data=jpeg))

    output = tmp_path / "arena.png"
    arguments = ["--topic", topic, "--compressed", "--output", str(output)]
    said = run(publish, "check-arena", *arguments)
    assert "corners: 4 of 4 seen" in said
    assert f"robot: x {base[0, 3]:+.2f}" in said
    assert output.exists()
    assert ("bea learn takes image_raw and camera_info" in said) == bool(namespace)


def test_views_are_collected_from_the_topic_until_there_are_enough(node, tmp_path) -> None:
    board, lens, rng = Board(), default_intrinsics(), np.random.default_rng(5)
    paper = np.full((round(board.height) * 4, round(board.width) * 4), 225, np.uint8)
    for box in board.black():
        left, top, right, bottom = (round(4 * edge) for edge in box)
        paper[top:bottom, left:right] = 30

    def view(i: int) -> np.ndarray:
        """The board without the lens's distortion, all over the image and tilted."""
        far = rng.uniform(0.28, 0.45)
        x, y = (np.array([i % 3 - 1, i // 3 % 3 - 1]) * 0.6 + rng.normal(0, 0.06, 2)) * [
            far * 0.81, far * 0.6,
        ]  # fmt: skip
        lean = 0.55 * np.array([(-1) ** i, (-1) ** (i // 2)]) * rng.uniform(0.3, 1, 2)
        turn = np.append(lean, rng.normal(0, 0.3))
        plane = cv2.Rodrigues(turn)[0][:, :2]
        scale = np.diag([1 / 4000, 1 / 4000, 1.0])
        shift = np.array([[1, 0, -0.119], [0, 1, -0.085], [0, 0, 1]])
        onto = lens.matrix @ np.column_stack([plane, [x, y, far]])
        behind = np.full((480, 640), 110, np.uint8)
        homography = onto @ shift @ scale
        return cv2.warpPerspective(
            paper, homography, (640, 480), behind, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT
        )

    messages = [message_of(view(i), Header()) for i in range(36)]
    pictures = node.create_publisher(Image, "image_raw", images(reliable=False))
    steps = itertools.count()

    def publish() -> None:  # each is held for a second or so
        pictures.publish(messages[next(steps) // 25 % len(messages)])

    output = tmp_path / "camera.yaml"
    said = run(publish, "calibrate-camera", "--views", "16", "--output", str(output))
    assert "view 1 kept; missing: 15 more views" in said
    assert "kept; enough" in said
    found = read_camera_info(output)
    assert found.matrix[0, 0] == pytest.approx(lens.matrix[0, 0], rel=0.01)
