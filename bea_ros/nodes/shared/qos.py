# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Quality of service, chosen once for each kind of topic."""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

# The latest value matters, also to a node that starts later: candidates, status, paths.
LATCHED = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

# The same for subscribers that need every change, even if changes follow quickly.
EACH = QoSProfile(
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

# Joint commands and states: late ones are useless, and a lost one stalls a lockstep simulation.
CONTROL = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)

# Poses. The last ones are kept for a recorder that the localization discovers late: it would lose
# the first poses of a run.
POSES = EACH

# Other results, one for each camera frame. Who subscribes to poses so gets new ones alone.
RESULTS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)

# /clock, with the profile of rclpy's own subscription.
CLOCK = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


def images(reliable: bool) -> QoSProfile:
    """Return the profile of images: reliable in lockstep, best effort for camera drivers."""
    reliability = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
    return QoSProfile(depth=2, reliability=reliability)
