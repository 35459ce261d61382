# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Images in the encodings of camera drivers."""

from __future__ import annotations

import numpy as np
import pytest
from sensor_msgs.msg import Image
from std_msgs.msg import Header

from bea_ros.nodes.shared.image_messages import ImageError, image_of, message_of


def test_yuv_images_give_their_brightness() -> None:
    rng = np.random.default_rng(3)
    grey = rng.integers(0, 255, (6, 8), np.uint8)
    noise = rng.integers(0, 255, (6, 8), np.uint8)
    for encoding, channels in (("yuv422_yuy2", (grey, noise)), ("yuv422", (noise, grey))):
        message = message_of(np.dstack(channels), Header())
        message.encoding, message.step = encoding, 16
        assert (image_of(message) == grey).all()
    with pytest.raises(ImageError, match="'nv21' is not one of"):
        image_of(Image(encoding="nv21"))
