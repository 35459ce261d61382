# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The calibration board in front of a camera whose lens is known."""

from __future__ import annotations

import numpy as np
import pytest

from bea_ros.camera_setup.board import Board
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.simulation.camera.board_views import Photographer

LENS = Intrinsics(
    640,
    480,
    np.array([[395.0, 0, 327.0], [0, 392.0, 232.0], [0, 0, 1]]),
    np.array([-0.12, 0.05, 0.0008, -0.0006, -0.01]),
)


@pytest.fixture(scope="session")
def photographer() -> Photographer:
    return Photographer(LENS, Board())


@pytest.fixture(scope="session")
def tour(photographer: Photographer) -> list[np.ndarray]:
    return list(photographer.tour(24, 1))
