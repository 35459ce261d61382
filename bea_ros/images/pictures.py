# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures in grey, and as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bea_ros.images.arrays import Image
from bea_ros.system.files import replace_file


def grey_of(image: Image, box: tuple[int, int, int, int] | None = None) -> Image:
    """The image in grey, (height, width); of a colour image only the part in `box`, else black.

    `box` is (left, top, right, bottom) in pixels; None is the whole image.
    """
    if image.ndim == 2:
        return image
    if box is None:
        return cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    left, top, right, bottom = box
    grey = np.zeros(image.shape[:2], np.uint8)
    grey[top:bottom, left:right] = cv2.cvtColor(image[top:bottom, left:right], cv2.COLOR_RGB2GRAY)
    return grey


def write_picture(path: Path, picture: Any) -> None:
    """Write a grey or BGR picture, in the format of the path's suffix; raises OSError."""
    _, encoded = cv2.imencode(path.suffix, np.ascontiguousarray(picture))
    replace_file(path, encoded.tobytes())
