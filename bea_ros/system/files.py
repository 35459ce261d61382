# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Files that are whole whatever happens while they are written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, content: str | bytes) -> None:
    """Put a file in the place of another, if there is one, whose mode it keeps.

    After a crash or a power cut there is the one or the other. Its folder is made where there is
    none; raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    try:
        with temporary.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(path)
        raise
    sync_directory(path.parent)


def check_writable(folder: Path) -> None:
    """Make a folder where there is none, and try to write there; raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def sync_directory(path: Path) -> None:
    """Put the names in a directory on disk."""
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
