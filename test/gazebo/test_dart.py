# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot that Gazebo's physics moves does as it does in the embedded simulator."""

from __future__ import annotations

import pytest

pytest.importorskip("dartpy", reason="dartpy (Gazebo's physics) is not installed")
from dart_world import agreement


def test_candidates_are_as_good_in_gazebos_physics() -> None:
    for task, (rank, apart) in agreement("gecko7", 12).items():
        assert rank > 0.8, task
        assert apart < 0.08, task
