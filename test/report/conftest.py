# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    made = Browser()
    yield made
    made.close()
