# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The lock by which a run folder has one writer.

It is flock(2) on the file .lock. The kernel releases it when its process ends in any way, so a
lock is never stale and need not be broken. The file only names the holder, and has a random word
by which it is told from the holder of a copy of the folder. On NFS the server keeps
the lock; if a machine disappears, its lock is free once the lease ends (90 s by default). A file
system without locks is refused. If its locks do not work across machines, the next append finds
out (see log.LogFile).
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import socket
import time
from pathlib import Path
from typing import BinaryIO

from bea_ros.system.files import open_own, open_regular

NAME = ".lock"
LARGEST = 400  # bytes of it that are read


class LockError(OSError):
    """The lock is not available; the message is one line."""


def in_use(folder: Path) -> bool:
    """Whether a process writes the folder; raises OSError if the folder cannot be read."""
    try:
        with open_regular(folder / NAME) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return True
        raise
    return False


def word_of(folder: Path) -> str:
    """Return the random word of the folder's last holder, or "" without one; raises OSError."""
    with open_regular(folder / NAME) as file:
        lines = file.read(LARGEST).decode("ascii", "replace").splitlines()
    return lines[1] if len(lines) > 1 else ""


def _lock(file: BinaryIO) -> None:
    """Lock the file. `in_use` may hold the lock for a moment, so try again."""
    for left in reversed(range(5)):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if not left:
                raise
            time.sleep(0.02)


class RunLock:
    """The lock of a run, held until `close` or the end of the process.

    `who` may hold it, and `name` is its file in the folder.
    """

    def __init__(self, folder: Path, who: str = "learner", name: str = NAME) -> None:
        """Raises LockError if another process has it, OSError if the folder cannot be written."""
        self._file = open_own(folder / name, os.O_RDWR | os.O_CREAT, 0)
        try:
            _lock(self._file)
        except OSError as error:
            line = self._file.read(LARGEST).partition(b"\n")[0]
            holder = " ".join(line.decode(errors="replace").split())
            self._file.close()
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                which = f" ({holder})" if holder else ""
                raise LockError(f"{folder} is in use by another {who}{which}") from None
            raise LockError(
                f"{folder} is on a file system that cannot lock files ({error.strerror}): "
                "choose a folder on another one"
            ) from None
        self._file.truncate(0)
        word = secrets.token_hex(8)
        self._file.write(f"process {os.getpid()} on {socket.gethostname()}\n{word}\n".encode())

    def close(self) -> None:
        """Release the lock."""
        self._file.close()
