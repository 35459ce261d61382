# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Environment and hints, used wherever nodes are started as processes."""

from __future__ import annotations

import os

from bea_ros.bringup.node_spec import NodeSpec

# The nodes' environment variables; the user's own values override them.
ENVIRONMENT = {
    # Nodes share the machine: one BLAS thread each, which also makes sums reproducible.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONUNBUFFERED": "1",
    # Physics needs no window; otherwise MuJoCo starts an extra process that looks for one.
    "MUJOCO_GL": "disable",
}


def how_to_get(node: NodeSpec) -> str:
    """Return the command that installs another package's node."""
    distribution = os.environ.get("ROS_DISTRO", "<distribution>")
    return f"sudo apt install ros-{distribution}-{node.package.replace('_', '-')}"
