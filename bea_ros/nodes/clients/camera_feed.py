# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Images from a camera's topic, for commands: no node of the graph."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import rclpy
from rclpy._rclpy_pybind11 import RCLError
from rclpy.exceptions import NameValidationException
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from bea_ros.images import arrays
from bea_ros.localization.camera_info import intrinsics_of
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.nodes.shared.image_messages import ImageError, image_of
from bea_ros.nodes.shared.process import reason_of
from bea_ros.nodes.shared.qos import images
from bea_ros.system.enclaves import enclave_arguments

PATIENCE = 10.0  # s (wall clock) to wait for a message


class CameraFeedError(ValueError):
    """No image or calibration comes from a topic; the message is one line."""


class CameraFeed:
    """A camera's images and calibration, while they come."""

    def __init__(self, node: Node, executor: SingleThreadedExecutor) -> None:
        self._node, self._executor = node, executor

    def pictures(self, topic: str, compressed: bool = False) -> Iterator[arrays.Image]:
        """Yield images as they arrive, always the latest; damaged ones are skipped.

        Raises CameraFeedError for an invalid topic, or when no sound image comes for PATIENCE s.
        """
        latest: list[arrays.Image] = []
        trouble: list[str] = []
        kind = CompressedImage if compressed else Image
        if compressed and not topic.endswith("/compressed"):
            topic += "/compressed"

        def keep(message: Image | CompressedImage) -> None:
            try:
                latest[:] = [image_of(message)]
            except ImageError as error:
                trouble[:] = [str(error)]

        try:
            self._node.create_subscription(kind, topic, keep, images(reliable=False))
        except NameValidationException as error:
            raise CameraFeedError(f"--topic {topic}: {error}".splitlines()[0]) from None
        while True:
            trouble.clear()
            self._wait(latest, topic, trouble)
            yield latest.pop()

    def intrinsics(self, topic: str) -> Intrinsics:
        """Return the driver's calibration; raises CameraFeedError or CameraInfoError."""
        latest: list[CameraInfo] = []
        self._node.create_subscription(CameraInfo, topic, latest.append, images(reliable=False))
        self._wait(latest, topic)
        info = latest[0]
        return intrinsics_of(info.width, info.height, info.k, info.d, info.distortion_model)

    def _wait(self, latest: list, topic: str, trouble: Sequence[str] = ()) -> None:
        deadline = time.monotonic() + PATIENCE
        while not latest:
            if time.monotonic() > deadline:
                name = self._node.resolve_topic_name(topic)
                if trouble:
                    raise CameraFeedError(f"no image on {name} can be read: {trouble[0]}")
                raise CameraFeedError(
                    f"nothing came on {name} for {PATIENCE:g} s: is the camera's driver running, "
                    "with this ROS_DOMAIN_ID?"
                )
            self._executor.spin_once(timeout_sec=0.1)


@contextmanager
def camera_feed() -> Iterator[CameraFeed]:
    """Context manager of a camera feed. The caller handles Ctrl-C.

    Raises CameraFeedError if SROS 2 forbids the node or a subscription.
    """
    context = rclpy.Context()
    enclave = ["--ros-args", *enclave_arguments("camera")]
    try:
        rclpy.init(args=enclave, context=context, signal_handler_options=SignalHandlerOptions.NO)
        node = rclpy.create_node(f"bea_camera_{os.getpid()}", context=context)
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        yield CameraFeed(node, executor)
    except RCLError as error:
        raise CameraFeedError(reason_of(error)) from error
    finally:
        rclpy.try_shutdown(context=context)
