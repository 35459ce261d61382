# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The comparison of a motion with all other times of its evaluation, by its definition."""

from __future__ import annotations

import numpy as np
import pytest

from bea_ros.localization import carried


@pytest.mark.parametrize("steps", carried.UNLIKE)
@pytest.mark.parametrize("grain", [0.0, 0.01])  # m: where it stands still, moves are equal
def test_a_move_is_compared_with_the_most_similar_one_at_another_time(steps, grain) -> None:
    moves = np.random.default_rng(steps).normal(0.0, 0.02, (120, 2))
    if grain:
        moves = np.round(moves / grain) * grain
    number = np.arange(120)
    apart = np.linalg.norm(moves[:, None] - moves, axis=2)
    apart[np.abs(number[:, None] - number) <= steps] = np.inf
    assert carried._unlike(moves, steps).tolist() == apart.min(1).tolist()


def test_a_height_is_compared_with_the_highest_at_another_time() -> None:
    t, z = np.arange(0.0, 30.0, carried.STEP), np.zeros(120)
    z[20], z[60:64], z[66] = 0.02, 0.1, 0.03
    far = np.abs(t[:, None] - t) > carried.APART
    higher = z - np.where(far, z, -np.inf).max(1)
    assert carried._lifted(t, z) == (
        f"was {higher.max():.2f} m higher than at any other time", t[higher.argmax()],
    )  # fmt: skip
