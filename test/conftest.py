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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Split what runs in parallel by files; graphs come first, one after another.

    Graphs keep real time, and two at once would keep it badly on two cores.
    """
    for item in items:
        group = "graph" if item.get_closest_marker("graph") else item.path.as_posix()
        item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: item.get_closest_marker("graph") is None)
