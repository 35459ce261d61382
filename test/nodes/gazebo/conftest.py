# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A stand-in of `gz`, as the tests of a module have it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def server(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The file in which the module's program GZ, in place of `gz`, says what its server is."""
    program = tmp_path / "gz"
    program.write_text(request.module.GZ)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("SERVER", str(tmp_path / "server"))
    return tmp_path / "server"
