# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Versions of the software that computed a result."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def versions_of(*packages: str) -> dict[str, str]:
    """Versions of Python, of bea_ros and of the `packages` that are installed."""
    found = {"python": platform.python_version()}
    for name in ("bea_ros", *packages):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def commit_of_checkout() -> str | None:
    """The commit of this code, "" if it is no checkout; None without git.

    It ends in -dirty if files were changed since, those of bench/ apart: studies write there.
    """
    try:
        commit = _git("describe", "--always")
        changed = _git(
            "status", "--porcelain", "--untracked-files=no", ":/", ":(top,exclude)bench"
        )
    except OSError:
        return None
    return commit + "-dirty" * bool(changed)


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=Path(__file__).parent, capture_output=True, text=True, check=False,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},  # else it writes the index
    )  # fmt: skip
    return done.stdout.strip()
