# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What no hand carried is not refused."""

import numpy as np

from bea_ros.bench import carried
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import PUBLISHED_WEIGHT_RANGE, CpgNetwork
from bea_ros.simulation.world import World

# Of 2240 random candidates the one that is least like itself: once it jerks by 9 cm in 0.5 s.
ROUGH = [0.5712, 0.26265, 0.99599, 0.37756, 0.20491, 0.75944, 0.6136, 0.03618,
         0.12601, 0.01202, 0.40707, 0.69302, 0.10578, 0.38753, 0.09937, 0.29724]  # fmt: skip


def test_a_rough_gait_was_not_carried() -> None:
    robot = load_robot("babyA")
    network = CpgNetwork(robot, np.array(ROUGH), PUBLISHED_WEIGHT_RANGE, "tanh")
    moved = carried._samples(World(robot), network, 30.0)
    checks = carried.Checks(robot)
    for seed in range(5):
        assert checks.refused(network, moved, np.random.default_rng(seed)) == ""
