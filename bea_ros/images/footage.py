# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads images from pictures, folders of pictures and videos."""

from __future__ import annotations

import glob
import math
import re
from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from pathlib import Path

import cv2
import numpy as np

from bea_ros.images.arrays import Image
from bea_ros.system.files import check_regular, read_whole

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".pgm", ".ppm", ".webp")
BARE = (".h264", ".264", ".h265", ".265", ".hevc", ".mjpeg", ".mjpg")  # streams without times
LARGEST = 2**28  # bytes of a picture's file
USUAL_RATE = 30.0  # frames per second if neither file nor user gives a rate


class FootageError(ValueError):
    """Images that cannot be read; the message is one line."""


def frames(
    names: Sequence[str | Path], rate: float = 0.0, colour: bool = False
) -> Iterator[tuple[float, Image]]:
    """Time (s, from 0 on) and image of each frame: grey (height, width), or RGB with `colour`.

    A name is a video, a picture, a folder of pictures, or a pattern such as `img*.png`. Pictures
    come in the order of their names, 9 before 10. `rate` is in frames per second; with it, where
    one number of the pictures' names varies, a missing number is a missing frame. 0 uses a video's
    own times, and USUAL_RATE for pictures. Images are as the sensor has them, as a calibration is
    of its pixels: how the camera was held, in a file's metadata, turns none. Raises FootageError.
    """
    paths = [path for name in names for path in _files(str(name))]
    if rate and all(map(_is_picture, paths)):
        for path, number in zip(paths, _numbers(paths), strict=True):
            yield number / rate, read_picture(path, colour)
        return
    start = 0.0
    for path in paths:
        if _is_picture(path):
            yield start, read_picture(path, colour)
            start += 1 / (rate or USUAL_RATE)
            continue
        time = start
        for time, image in _video(path, rate, colour):
            yield start + time, image
        start += time + 1 / (rate or frame_rate(path) or USUAL_RATE)


def are_without_times(names: Sequence[str | Path]) -> bool:
    """Whether all of these files, folders or patterns are of pictures or bare streams."""
    paths = [path for name in names for path in _files(str(name))]
    return all(_is_picture(path) or path.suffix.lower() in BARE for path in paths)


def _is_picture(path: Path) -> bool:
    return path.suffix.lower() in PICTURES


def read_picture(path: Path, colour: bool) -> Image:
    """Read a picture: grey (height, width), or RGB with `colour`; raises FootageError."""
    how = cv2.IMREAD_IGNORE_ORIENTATION
    how |= cv2.IMREAD_COLOR if colour else cv2.IMREAD_GRAYSCALE
    try:
        content = np.frombuffer(read_whole(path, LARGEST), np.uint8)
        picture = cv2.imdecode(content, how) if len(content) else None
    except OSError as error:
        raise FootageError(f"{path} cannot be read: {error.strerror}") from error
    except cv2.error:  # more pixels than OpenCV allows
        picture = None
    if picture is None:
        raise FootageError(f"{path} is not a picture that can be read")
    return _as_asked(picture, colour)


def frame_rate(name: str | Path) -> float:
    """Frame rate in a video's header (frames per second); 0 for any other file."""
    if not Path(name).is_file() or _is_picture(Path(name)):
        return 0.0
    capture = cv2.VideoCapture(str(name))
    rate = capture.get(cv2.CAP_PROP_FPS) if capture.isOpened() else 0.0
    capture.release()
    return rate if math.isfinite(rate) and rate > 0 else 0.0


def _files(name: str) -> list[Path]:
    path = Path(name).expanduser()
    if path.is_dir():
        found = sorted(filter(_is_picture, path.iterdir()), key=_parts)
        if not found:
            raise FootageError(f"{path}: no pictures in this folder ({', '.join(PICTURES)})")
        return found
    matches = [path] if path.exists() else sorted(map(Path, glob.glob(str(path))), key=_parts)
    if not matches:
        raise FootageError(f"{name}: no such file, folder or pattern")
    for match in matches:
        try:
            check_regular(match)
        except OSError as error:
            raise FootageError(f"{match} cannot be read: {error.strerror}") from error
    return matches


def _parts(path: Path) -> list[str | int]:
    """The words and numbers of a path in turn, so that img9.png comes before img10.png."""
    parts = re.split("([0-9]+)", str(path))
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def _numbers(paths: Sequence[Path]) -> list[int]:
    """Which frames the pictures are, from 0 on, by the one number that varies in their names.

    They are counted if not exactly one varies. Raises FootageError for uneven numbers.
    """
    columns = zip(*(_parts(path.with_suffix("")) for path in paths), strict=False)
    varying = [column for column in columns if len(set(column)) > 1]
    if len(varying) != 1 or not all(isinstance(part, int) for part in varying[0]):
        return list(range(len(paths)))
    given = [int(part) for part in varying[0]]
    steps = [after - before for before, after in pairwise(given)]
    step = min(steps)
    for place, between in enumerate(steps):
        if step * between <= 0 or between % step:
            raise FootageError(
                f"{paths[place]} and {paths[place + 1].name}: the numbers of pictures must go in "
                "equal steps, as their times follow from them"
            )
    return [(number - given[0]) // step for number in given]


def _video(path: Path, rate: float, colour: bool) -> Iterator[tuple[float, Image]]:
    capture = cv2.VideoCapture(str(path))
    try:
        if not capture.isOpened():
            raise FootageError(f"{path} is not a video that OpenCV can read")
        capture.set(cv2.CAP_PROP_ORIENTATION_AUTO, 0)
        nominal = frame_rate(path) or USUAL_RATE
        stamp = -1.0
        for number in count():
            good, picture = capture.read()
            if not good:
                break
            stamp = number / rate if rate else _stamp(capture, number, stamp, nominal)
            yield stamp, _as_asked(picture, colour)
        if not number:
            raise FootageError(f"{path} has no frames that OpenCV can read")
    finally:
        capture.release()


def _stamp(capture: cv2.VideoCapture, number: int, last: float, nominal: float) -> float:
    """The time (s) of the frame just read, after that of the `last`; `nominal` is in frames/s."""
    stamp = float(capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
    if stamp <= last:  # some containers have no times
        return last + 1 / nominal if number else 0.0
    return stamp


def _as_asked(picture: Image, colour: bool) -> Image:
    if picture.ndim == 2:
        return picture
    how = cv2.COLOR_BGR2RGB if colour else cv2.COLOR_BGR2GRAY
    return np.asarray(cv2.cvtColor(picture, how), np.uint8)
