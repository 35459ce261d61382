# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Quality of service, chosen once for each kind of topic."""

from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSProfile,
    ReliabilityPolicy,
)

# The latest value matters, also to a node that comes later: candidates, status, paths.
LATCHED = QoSProfile(
    depth=1,
    history=HistoryPolicy.KEEP_LAST,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

# The same, heard by who must know of every change, however soon the next one comes.
EACH = QoSProfile(
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

# Joint commands and states: a late one is worth nothing, a lost one stalls a lockstep simulation.
CONTROL = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)

# Poses and other results, one a camera frame.
RESULTS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)

# /clock as rclpy subscribes to it.
CLOCK = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


def images(reliable: bool) -> QoSProfile:
    """Camera images: reliable from the lockstep simulator, best effort from a camera driver."""
    reliability = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
    return QoSProfile(depth=2, reliability=reliability)
