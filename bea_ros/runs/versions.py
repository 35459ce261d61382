# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The versions that numbers were made with."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version


def versions_of(*packages: str) -> dict[str, str]:
    """Versions of Python, bea_ros and those of the packages that are installed."""
    found = {"python": platform.python_version()}
    for name in ("bea_ros", *packages):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
