# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What everybody who starts the nodes as processes must know."""

from __future__ import annotations

import os

from bea_ros.bringup.node_spec import NodeSpec

# What the nodes are started with, where the user does not say otherwise.
ENVIRONMENT = {
    # Nodes share the machine: one thread each for BLAS, which also makes sums reproducible.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONUNBUFFERED": "1",
    # Physics needs no window: else MuJoCo looks for one in a process that ours would have to end.
    "MUJOCO_GL": "disable",
}


def how_to_get(node: NodeSpec) -> str:
    """How another package's node is installed."""
    distribution = os.environ.get("ROS_DISTRO", "<distribution>")
    return f"sudo apt install ros-{distribution}-{node.package.replace('_', '-')}"
