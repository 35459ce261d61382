# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever comes for a picture or a recording: it is one, or it is refused in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from fuzzing import changed, fuzz, refused_or_good
from hypothesis import given
from hypothesis import strategies as st

from bea_ros.images.footage import FootageError, read_picture
from bea_ros.images.jpeg import DamagedImage, decode

HEIGHT, WIDTH = 48, 64
PICTURE = np.random.default_rng(1).integers(0, 255, (HEIGHT, WIDTH), np.uint8)
PICTURE = cv2.GaussianBlur(PICTURE, (7, 7), 0)
FILES = [
    cv2.imencode(kind, PICTURE, options)[1].tobytes()
    for kind, options in (
        (".jpg", []),
        (".jpg", [cv2.IMWRITE_JPEG_PROGRESSIVE, 1]),
        (".jpg", [cv2.IMWRITE_JPEG_RST_INTERVAL, 4]),
        (".png", []),
    )
]
files = changed(st.sampled_from(FILES)) | st.binary(max_size=40).map(
    lambda end: FILES[0][:2] + end
)


def is_picture(found: Any, colour: bool) -> bool:
    return bool(found.dtype == np.uint8 and found.ndim == (3 if colour else 2) and found.size > 0)


@fuzz
@given(content=files, colour=st.booleans())
def test_compressed_images(content: bytes, colour: bool) -> None:
    found = refused_or_good("compressed images", DamagedImage, lambda: decode(content, colour))
    assert found is None or is_picture(found, colour)
    if content == FILES[0]:
        assert found is not None


@fuzz
@given(at=st.integers(0, 10_000), which=st.integers(0, len(FILES) - 1))
def test_compressed_images_cut_off(at: int, which: int) -> None:
    """Silence about missing rows would put a marker where it is not."""
    whole = FILES[which]
    cut = whole[: at % len(whole)]
    found = refused_or_good("images cut off", DamagedImage, lambda: decode(cut))
    assert found is None or (found == decode(whole)).all()


@fuzz
@given(content=files)
def test_pictures_in_files(folder: Path, content: bytes) -> None:
    path = folder / "picture.jpg"
    path.write_bytes(content)
    found = refused_or_good(
        "picture files", FootageError, lambda: read_picture(path, colour=False)
    )
    assert found is None or is_picture(found, False)
