# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Encodes images as JPEG; decodes compressed ones, and refuses those that are damaged.

A JPEG has no checksum. If data are lost, libjpeg continues with the data that follow and shows
them in the wrong place, so a marker would be displaced. libjpeg warns only on stderr.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import cv2
import numpy as np

from bea_ros.images.arrays import Image

_COMPLAINTS = (b"Corrupt JPEG", b"Premature end", b"Unsupported marker", b"libpng")
_JPEG, _END = b"\xff\xd8", b"\xff\xd9"


class DamagedImage(ValueError):
    """A compressed image that is damaged or incomplete; the message is one line."""


def encode(picture: Image, quality: int) -> Image:
    """The JPEG, bytes (n,), of an image, (height, width) or RGB; `quality` is in per cent."""
    bgr = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    return cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].ravel()


def decode(data: bytes | bytearray | memoryview, colour: bool = False) -> Image:
    """Decode a JPEG or PNG: (height, width), or RGB (height, width, 3) with `colour`.

    Raises DamagedImage.
    """
    content = bytes(data)
    if content[:2] == _JPEG and _END not in content.rstrip(b"\0")[-64:]:  # drivers may pad
        raise DamagedImage(f"damaged image: a JPEG of {len(content)} bytes without an end")
    with _errors() as said:
        try:
            how = cv2.IMREAD_COLOR if colour else cv2.IMREAD_GRAYSCALE
            how |= cv2.IMREAD_IGNORE_ORIENTATION  # camera_info is of the sensor's pixels
            picture = cv2.imdecode(np.frombuffer(content, np.uint8), how)
        except cv2.error:  # no data
            picture = None
        output = _read(said)
    if picture is None:
        raise DamagedImage(f"damaged image: {len(content)} bytes that are not a picture")
    for line in output.splitlines():
        if any(word in line for word in _COMPLAINTS):
            raise DamagedImage(f"damaged image: {line.decode(errors='replace')}")
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB) if colour else picture, np.uint8)


_said: IO[bytes] | None = None


@contextmanager
def _errors() -> Iterator[IO[bytes]]:
    """A file with all output on stderr during the block; lines other than complaints pass on."""
    global _said
    if _said is None:
        _said = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (one for the process)
    said = _said
    said.seek(0)
    said.truncate()
    sys.stderr.flush()
    stderr = os.dup(2)
    os.dup2(said.fileno(), 2)
    try:
        yield said
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        others = [
            line
            for line in _read(said).splitlines(keepends=True)
            if not any(word in line for word in _COMPLAINTS)
        ]
        if others:
            os.write(2, b"".join(others))


def _read(said: IO[bytes]) -> bytes:
    said.seek(0)
    return said.read()
