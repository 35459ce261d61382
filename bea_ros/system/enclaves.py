# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""SROS 2: whether it is enabled, and the enclave of each node (docs/security.md)."""

from __future__ import annotations

import os


def secured() -> bool:
    """Whether SROS 2 is enabled."""
    return os.environ.get("ROS_SECURITY_ENABLE") == "true"


def enclave_arguments(executable: str, package: str = "bea_ros") -> list[str]:
    """ROS arguments for a node; with SROS 2 each node has its own enclave."""
    return ["--enclave", f"/{package}/{executable}"] if secured() else []
