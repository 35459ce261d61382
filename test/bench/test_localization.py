# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The localization benchmark measures what it says and keeps to the goals."""

import numpy as np

from bea_ros.bench.localization import measure, run


def test_a_large_image_is_within_two_millimetres_and_half_a_degree():
    full, tracking, _ = measure(1280, 960, poses=20, seed=1)
    for score in (full, tracking):
        assert score.rate == 1
        assert 0 < np.mean(score.distances) < 0.002
        assert 0 < np.degrees(np.mean(score.yaws)) < 0.5
        assert len(score.seconds) == 20


def test_both_sizes_are_printed(capsys):
    run(poses=3)
    printed = capsys.readouterr().out
    assert "640x480" in printed
    assert "1280" in printed
