# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How often the simulated camera takes an image."""

import pytest

from bea_ros.nodes.simulator.images import images_every
from bea_ros.system.nanoseconds import SECOND


@pytest.mark.parametrize(
    ("control_rate", "rate", "every"),
    [
        (20.0, 4.0, 5),
        (30.0, 5.0, 6),  # whose periods are no whole number of ns: it was 7
        (30.0, 15.0, 2),
        (60.0, 20.0, 3),
        (20.0, 15.0, 2),  # not more than asked
        (10.0, 30.0, 1),  # nor than one each time
    ],
)
def test_images_come_as_often_as_asked(control_rate: float, rate: float, every: int) -> None:
    assert images_every(rate, round(SECOND / control_rate)) == every
