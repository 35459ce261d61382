# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bea_ros.system.files import replace_file


def write_picture(path: Path, picture: Any) -> None:
    """Write a grey or BGR picture, in the format of the path's suffix; raises OSError."""
    _, encoded = cv2.imencode(path.suffix, np.ascontiguousarray(picture))
    replace_file(path, encoded.tobytes())
