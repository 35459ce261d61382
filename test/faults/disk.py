# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A small disk for run folders, that can be made to fail: ext4 in a file, mounted, as root."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class Disk:
    """`folder` is on a disk of its own if we may mount one, else a plain folder."""

    def __init__(self, place: Path) -> None:
        self.folder = place / "disk"
        self.folder.mkdir()
        self.mounted = False
        if os.geteuid() == 0:
            image = place / "disk.img"
            image.write_bytes(b"")
            os.truncate(image, 64 * 2**20)
            made = _run("mkfs.ext4", "-q", "-F", image)
            self.mounted = made and _run("mount", "-o", "loop", image, self.folder)

    def protect(self, folder: Path, on: bool) -> bool:
        """Let nobody, not even root, write to a run folder, or let them again."""
        files = [
            folder,
            *(path for path in folder.iterdir() if path.suffix in (".jsonl", ".yaml")),
        ]
        return self.mounted and _run("chattr", "+i" if on else "-i", *files)

    def freeze(self) -> bool:
        return self.mounted and _run("fsfreeze", "-f", self.folder)

    def thaw(self) -> None:
        _run("fsfreeze", "-u", self.folder)

    def close(self) -> None:
        if self.mounted:
            _run("umount", "-l", self.folder)


def _run(*words: str | Path) -> bool:
    try:
        return subprocess.run([str(w) for w in words], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False
