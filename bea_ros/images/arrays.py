# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Array types for annotations, without element types, as in OpenCV's stubs."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]  # float64
Image = NDArray[Any]  # uint8, (height, width) or (height, width, 3)
