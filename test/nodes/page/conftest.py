# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A browser and a page of a real robot's."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import closing

import pytest
from browser import Browser
from operator_desk import Desk
from page_client import PageProcess


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with closing(Browser()) as made:
        yield made


WORDS = ("robot_backend:=hardware", "switch:=the red one")


@pytest.fixture(scope="module")
def common_page(domain: int) -> Iterator[PageProcess]:
    """A page that is only looked at."""
    with closing(PageProcess(domain, *WORDS)) as process:
        yield process


@pytest.fixture
def page(desk: Desk) -> Iterator[PageProcess]:
    with closing(PageProcess(desk.domain, *WORDS)) as process:
        yield process
        process.process.send_signal(signal.SIGCONT)
