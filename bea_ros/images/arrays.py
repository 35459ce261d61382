# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Names for arrays in annotations; OpenCV's stubs promise no element types, so neither do we."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]  # float64
Image = NDArray[Any]  # uint8, (height, width) or (height, width, 3)
