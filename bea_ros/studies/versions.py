# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a study was made with."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bea_ros.runs.versions import versions_of


def versions(*packages: str) -> dict[str, str]:
    """As `versions_of`, and the commit where this is a checkout of git."""
    found = versions_of(*packages)
    try:
        commit = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=Path(__file__).parent, capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError:
        return found
    return {**found, "commit": commit.stdout.strip()}
