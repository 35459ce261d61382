# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A browser and a page of a real robot's."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from browser import Browser
from operator_desk import Desk
from page_client import PageProcess


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    made = Browser()
    yield made
    made.close()


@pytest.fixture
def page(desk: Desk) -> Iterator[PageProcess]:
    process = PageProcess(desk.domain, "robot_backend:=hardware", "switch:=the red one")
    yield process
    process.process.send_signal(signal.SIGCONT)
    process.close()
