# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulated camera's images, each repeated until the localization has processed it."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, Image

from bea_ros.images.arrays import Image as Picture
from bea_ros.nodes.shared.image_messages import message_of
from bea_ros.nodes.shared.qos import LATCHED, images
from bea_ros.nodes.shared.stamps import to_stamp
from bea_ros.nodes.simulator.parameters import camera_info
from bea_ros.simulation.observed import WorldCamera, frame_seed
from bea_ros.system.nanoseconds import SECOND

CARRIED_FRAME = 999_999  # number of the image on the way back


def images_every(rate: float, control_period: int) -> int:
    """Number of control periods (ns, rounded) between images, for at most this rate (Hz)."""
    return max(math.ceil(SECOND / rate / control_period - 1e-6), 1)


class Images:
    """Publishes `image_raw` and `camera_info` of what the camera saw `camera.delay` ago.

    `stamp` (ns) is that of the last image. `frame` counts the images since the last reset. `seen`
    says whether the localization has processed the last image, which matters in lockstep only.
    """

    def __init__(
        self, node: Node, camera: WorldCamera, control_period: int, values: dict[str, Any]
    ) -> None:
        self.camera, self.lockstep, self.seed = camera, values["lockstep"], values["seed"]
        self.period = images_every(values["camera.rate"], control_period) * control_period  # ns
        lag = round(values["camera.delay"] * SECOND / control_period)
        self.scenes: deque = deque(maxlen=lag + 1)
        self.image = Image()
        self.stamp, self.frame, self.seen = 0, 0, True
        self.info = camera_info(camera.camera.intrinsics)
        self.info.header.frame_id = "camera_optical_frame"
        self.images = node.create_publisher(Image, "image_raw", images(reliable=True))
        self.infos = node.create_publisher(CameraInfo, "camera_info", LATCHED)
        self.infos.publish(self.info)

    def forget(self) -> None:
        """Drop images from before a reset."""
        self.scenes.clear()

    def look(self) -> None:
        """Take a picture of the robot, once per control period."""
        self.scenes.append(self.camera.world.scene())

    def due(self, now: int) -> bool:
        """Whether the next image is due at a time (ns)."""
        return self.frame == 0 or now - self.stamp >= self.period

    def picture(self, now: int) -> Picture | None:
        """Return the picture, if an image is due."""
        if not self.due(now):
            return None
        return self.camera.take(self.scenes[0], frame_seed(self.seed, self.frame))

    def show(self, picture: Picture | None, now: int) -> None:
        """Publish an image with a stamp (ns)."""
        if picture is None:
            return
        self.stamp, self.seen = now, not self.lockstep
        self.info.header.stamp = to_stamp(now)
        self.infos.publish(self.info)
        self.image = message_of(picture, self.info.header)
        self.images.publish(self.image)
        self.frame += 1

    def repeat(self) -> None:
        """Publish the last image again, as to a localization that has just started."""
        self.infos.publish(self.info)
        self.images.publish(self.image)
