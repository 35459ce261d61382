# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Converts image messages to arrays and back; PyPI has no cv_bridge."""

from __future__ import annotations

import array

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage, Image
from std_msgs.msg import Header

from bea_ros.images.jpeg import DamagedImage, decode

CHANNELS = {
    "mono8": 1, "8UC1": 1, "rgb8": 3, "bgr8": 3, "8UC3": 3, "rgba8": 4, "bgra8": 4,
    "yuv422": 2, "uyvy": 2, "yuv422_yuy2": 2, "yuyv": 2,
}  # fmt: skip
BRIGHTNESS = {"yuv422": 1, "uyvy": 1, "yuv422_yuy2": 0, "yuyv": 0}  # its byte in a pixel
TO_RGB = {
    "bgr8": cv2.COLOR_BGR2RGB,
    "8UC3": cv2.COLOR_BGR2RGB,
    "rgba8": cv2.COLOR_RGBA2RGB,
    "bgra8": cv2.COLOR_BGRA2RGB,
}


class ImageError(ValueError):
    """An image message that cannot be read; the message is one line."""


def image_of(message: Image | CompressedImage) -> NDArray[np.uint8]:
    """Return an image as an array: (height, width) grey, or (height, width, 3) RGB.

    Compressed and YUV images become grey, which is enough for markers; colours would double the
    cost. Raises ImageError if the encoding is unknown, the size does not match the data, or a
    compressed image is incomplete.
    """
    if isinstance(message, CompressedImage):
        try:
            return decode(message.data)
        except DamagedImage as error:
            raise ImageError(str(error)) from error
    channels = CHANNELS.get(message.encoding)
    if channels is None:
        raise ImageError(
            f"image encoding {message.encoding!r} is not one of {', '.join(CHANNELS)}"
        )
    height, width, step = message.height, message.width, message.step
    if step < width * channels or len(message.data) != height * step or not height * width:
        raise ImageError(
            f"image says {width}x{height} {message.encoding} with rows of {step} bytes, "
            f"but has {len(message.data)} bytes"
        )
    rows = np.frombuffer(message.data, np.uint8).reshape(height, step)[:, : width * channels]
    if channels == 1:
        return rows
    picture = rows.reshape(height, width, channels)
    if message.encoding in BRIGHTNESS:
        return np.ascontiguousarray(picture[:, :, BRIGHTNESS[message.encoding]])
    if message.encoding in TO_RGB:
        return np.asarray(cv2.cvtColor(picture, TO_RGB[message.encoding]), np.uint8)
    return picture


def message_of(picture: NDArray[np.uint8], header: Header) -> Image:
    """Return an array as a message: mono8 of (height, width), or rgb8 of (height, width, 3)."""
    height, width = picture.shape[:2]
    return Image(
        header=header,
        height=height,
        width=width,
        encoding="mono8" if picture.ndim == 2 else "rgb8",
        step=picture.size // height,
        data=array.array("B", picture.tobytes()),
    )
