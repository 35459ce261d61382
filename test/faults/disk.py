# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A small disk for run folders, that can be made to fail: ext4 in a file, mounted, as root."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path


class Disk:
    """`folder` is on a disk of its own if we may mount one, else a plain folder."""

    def __init__(self, place: Path) -> None:
        self.folder = place / "disk"
        self.folder.mkdir()
        self.mounted = False
        if os.geteuid() == 0:
            self.image = place / "disk.img"
            self.image.write_bytes(b"")
            os.truncate(self.image, 64 * 2**20)
            made = _run("mkfs.ext4", "-q", "-F", self.image)
            self.mounted = made and self._mount()

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

    def cut_power(self) -> bool:
        """Go on with what the disk holds now: what the kernel still kept in memory is lost."""
        if not self.mounted:
            return False
        kept = self.image.with_suffix(".kept")
        shutil.copy(self.image, kept)
        _run("umount", "-l", self.folder)
        os.replace(kept, self.image)
        self.mounted = self._mount()
        if not self.mounted:
            raise RuntimeError("the disk cannot be mounted after a power cut")
        return True

    def _mount(self) -> bool:
        return _run("mount", "-o", "loop", self.image, self.folder)

    def close(self) -> None:
        if self.mounted:
            _run("umount", "-l", self.folder)


def _run(*words: str | Path) -> bool:
    try:
        return subprocess.run([str(w) for w in words], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False
