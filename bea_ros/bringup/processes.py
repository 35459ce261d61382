# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What everybody who starts the nodes as processes must know."""

from __future__ import annotations

import os
import signal

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


def how_it_ended(code: int) -> str:
    """A process's end in words, from its exit code, or minus the signal that killed it."""
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def enclave_arguments(executable: str, package: str = "bea_ros") -> list[str]:
    """ROS arguments for a node; with SROS 2 each has an enclave of its own (docs/security.md)."""
    return ["--enclave", f"/{package}/{executable}"] if secured() else []


def secured() -> bool:
    """Whether SROS 2 is on."""
    return os.environ.get("ROS_SECURITY_ENABLE") == "true"


def how_to_get(node: NodeSpec) -> str:
    """How another package's node is installed."""
    distribution = os.environ.get("ROS_DISTRO", "<distribution>")
    return f"sudo apt install ros-{distribution}-{node.package.replace('_', '-')}"
