# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Videos that browsers play, as far as this OpenCV can write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

from bea_ros.images.arrays import Image

CODECS = ("vp09", "avc1", "mp4v")  # what browsers play comes first


@contextmanager
def video_writer(
    path: Path, width: int, height: int, rate: float
) -> Iterator[Callable[[Image], object]]:
    """A function that adds an RGB image to a video of `rate` frames per second.

    An earlier video stays until this one is whole. Width and height are even. Raises OSError for a
    path that cannot be written, ValueError where OpenCV has no codec.
    """
    try:
        folder = TemporaryDirectory(prefix=f".{path.stem}-", dir=path.parent)
    except OSError as error:
        error.filename = str(path)
        raise
    with folder:
        unfinished = Path(folder.name) / path.name  # OpenCV goes by the suffix
        with _opened(unfinished, width, height, rate) as writer:
            yield lambda image: writer.write(np.ascontiguousarray(image[:, :, ::-1]))
        unfinished.replace(path)


@contextmanager
def _opened(path: Path, width: int, height: int, rate: float) -> Iterator[cv2.VideoWriter]:
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
        raise ValueError(
            f"this OpenCV cannot write {path.suffix}: pip install opencv-python-headless"
        )
    try:
        yield writer
    finally:
        writer.release()
