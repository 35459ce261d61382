# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Videos that browsers play, as far as this OpenCV can write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np

from bea_ros.localization.arrays import Image

CODECS = ("vp09", "avc1", "mp4v")  # what browsers play comes first


@contextmanager
def video_writer(
    path: Path, width: int, height: int, rate: float
) -> Iterator[Callable[[Image], object]]:
    """A function that adds an RGB image to a video of `rate` frames per second.

    Width and height are even. Raises ValueError where OpenCV has no codec.
    """
    logging = getattr(cv2.utils, "logging", None)  # which OpenCV 4.6 does not have
    if logging:
        level = logging.getLogLevel()
        logging.setLogLevel(0)  # a codec that is not there is no news
    for codec in CODECS:
        fourcc = cv2.VideoWriter.fourcc(*codec)
        writer = cv2.VideoWriter(str(path), fourcc, rate, (width, height))
        if writer.isOpened():
            break
    if logging:
        logging.setLogLevel(level)
    if not writer.isOpened():
        raise ValueError(f"this OpenCV cannot write {path}: pip install opencv-python-headless")
    try:
        yield lambda image: writer.write(np.ascontiguousarray(image[:, :, ::-1]))
    finally:
        writer.release()
