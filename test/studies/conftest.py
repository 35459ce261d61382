# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Studies draw where a test looks at their pictures: it takes most of a small study's time."""

from collections.abc import Iterator

import pytest

from bea_ros.report import style

svg = style.svg


@pytest.fixture(autouse=True, scope="module")
def undrawn() -> Iterator[None]:
    """Pictures are empty."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style, "svg", lambda figure: "<svg></svg>")
        yield


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are drawn."""
    monkeypatch.setattr(style, "svg", svg)
