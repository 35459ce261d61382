# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Paths of the package's files (urdf/, config/, launch/)."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path


@cache
def share_directory() -> Path:
    """Directory that holds urdf/ and config/.

    A source checkout (or editable install) has them beside the package; an installed ROS package
    in its ament share directory; a plain Python install under its prefix.

    Raises FileNotFoundError if none of these has them.
    """
    candidates = [Path(__file__).resolve().parents[2]]
    try:
        from ament_index_python.packages import get_package_share_path

        candidates.append(get_package_share_path("bea_ros"))
    # Without ROS, before the workspace is built, or before it is sourced.
    except (ImportError, LookupError, OSError):
        pass
    candidates.append(Path(sys.prefix) / "share" / "bea_ros")
    for directory in candidates:
        if (directory / "urdf" / "modules").is_dir():
            return directory
    looked = ", ".join(str(directory) for directory in candidates)
    raise FileNotFoundError(f"the urdf/ directory of bea_ros was not found; looked in {looked}")


def resource_path(relative: str) -> Path:
    """Path of a file of the package, e.g. `resource_path("urdf/spider9.urdf.xacro")`."""
    return share_directory() / relative
