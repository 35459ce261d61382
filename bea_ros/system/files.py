# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Writes files atomically, and reads only regular files of limited size."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO, cast

LARGEST = 2**30  # bytes; a run of 1500 evaluations has 30 MB
PART = 2**20  # bytes that are read at once


def replace_file(path: Path, content: str | bytes, create_folder: bool = True) -> None:
    """Write a file atomically; it replaces an earlier one and keeps its mode.

    After a crash or a power cut either the old or the new file is there. A missing folder is
    created, or with `create_folder` false refused. Raises OSError, also for a folder, FIFO or
    device in the file's place: root would replace /dev/null, or /dev/stdout.
    """
    if path.exists():
        check_regular(path)
    if create_folder:
        path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    try:
        temporary.unlink(missing_ok=True)  # left by a crash, or a link planted by another user
        with open_own(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        temporary.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):  # such as of a read-only file system
            temporary.unlink()
        if isinstance(error, OSError):
            error.filename = str(path)
        raise
    sync_directory(path.parent)


def open_own(path: str | Path, flags: int, buffering: int = -1) -> BinaryIO:
    """Open a file for writing in place; links, FIFOs and devices are refused.

    Raises OSError.
    """
    try:
        number = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, f"{Path(path).name} is a link", str(path)) from None
        with contextlib.suppress(FileNotFoundError):
            _check_regular(os.lstat(path), path, Path(path).name)
        raise
    modes = {os.O_RDONLY: "rb", os.O_WRONLY: "wb", os.O_RDWR: "r+b"}
    file = cast(BinaryIO, os.fdopen(number, modes[flags & os.O_ACCMODE], buffering))
    return _checked(file, path, Path(path).name)


def read_whole(path: str | Path, largest: int = LARGEST) -> bytes:
    """Bytes of a regular file of at most `largest` bytes; no FIFO, device or folder.

    Raises OSError, whose strerror gives the reason.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = bytearray()
        # Not all at once: a small computer has no memory for `largest`.
        while max(size, len(content)) <= largest and (part := file.read(PART)) != b"":
            if part is None:  # a file of the kernel without data now
                raise OSError(errno.EINVAL, "it has no data now", str(path))
            content += part
    if max(size, len(content)) > largest:
        raise OSError(errno.EFBIG, f"it is larger than {_size(largest)}", str(path))
    return bytes(content)


def open_regular(path: str | Path) -> BinaryIO:
    """Open a regular file for reading, without waiting for a writer; raises OSError for others."""
    check_regular(path)  # opening some devices has side effects
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    return _checked(file, path)


def check_regular(path: str | Path) -> None:
    """Raise OSError unless the path is a regular file, before a library opens it."""
    _check_regular(os.stat(path), path)


def _checked(file: BinaryIO, path: str | Path, name: str = "it") -> BinaryIO:
    try:
        _check_regular(os.fstat(file.fileno()), path, name)
    except OSError:
        file.close()
        raise
    return file


def _check_regular(status: os.stat_result, path: str | Path, name: str = "it") -> None:
    for kind, found in (
        ("a folder", stat.S_ISDIR),
        ("a FIFO", stat.S_ISFIFO),
        ("a socket", stat.S_ISSOCK),
        ("a device", lambda mode: stat.S_ISCHR(mode) or stat.S_ISBLK(mode)),
    ):
        if found(status.st_mode):
            raise OSError(errno.EINVAL, f"{name} is {kind}, not a file", str(path))


def _size(count: int) -> str:
    for unit, name in ((2**30, "GiB"), (2**20, "MiB")):
        if count >= unit:
            return f"{count // unit} {name}"
    return f"{count} bytes"


def check_writable(folder: Path) -> None:
    """Create a missing folder, and test that it can be written; raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def sync_directory(path: Path) -> None:
    """Flush a directory's entries to disk."""
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
