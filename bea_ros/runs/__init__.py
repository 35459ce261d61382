# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Run folders: writing, reading and resuming them. No ROS."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bea_ros.runs.loading import Run


def load(path: Path | str) -> Run:
    """Load a run as tables, for notebooks; raises RunFolderError.

    See `bea_ros.runs.loading.Run`.
    """
    from bea_ros.runs.loading import load_run  # importing pandas is slow

    return load_run(path)
