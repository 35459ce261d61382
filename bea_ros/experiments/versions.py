# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a study was made with."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def versions(*packages: str) -> dict[str, str]:
    """Versions of Python, bea_ros and those of the packages that are installed."""
    found = {"python": platform.python_version()}
    for name in ("bea_ros", *packages):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    try:
        commit = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=Path(__file__).parent, capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError:
        return found
    return {**found, "commit": commit.stdout.strip()}
