# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Graphs of tests keep to this machine, and each to a domain of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from bea_ros.supervisor import free_domain

os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"  # also of the nodes that they start


@pytest.fixture(scope="module")
def domain() -> Iterator[int]:
    """A ROS_DOMAIN_ID that no other graph on this machine has."""
    lock, number = free_domain(range(70, 102))
    yield number
    if lock:
        lock.close()
