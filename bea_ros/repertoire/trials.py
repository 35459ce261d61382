# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A file of what was tried: a record a candidate, in the order in which they were asked."""

from __future__ import annotations

import fcntl
import os
import time
import zlib
from itertools import takewhile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bea_ros.repertoire.store import RepertoireError
from bea_ros.repertoire.trying import Array, Paths
from bea_ros.system.files import open_own

CHECK = ("check", np.uint32)  # CRC-32 of a record's other bytes
SYNCED = 5.0  # s after which what was tried is on disk at the latest


class Trials:
    """Candidates (n, d) and their paths (n, draws, poses, 3), open for adding.

    A record that was cut off or damaged does not count, and neither do later ones: they are tried
    again. Use it in a with statement; one process at a time has it.

    Raises RepertoireError if another process writes the file, and OSError.
    """

    def __init__(self, path: Path, dimension: int, shape: tuple[int, ...]) -> None:
        self.path = path
        self._record = np.dtype(
            [("candidate", np.float64, (dimension,)), ("paths", np.float32, shape), CHECK]
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open_own(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise RepertoireError(f"{path} is in use by another process") from None
        found = np.fromfile(self._file, self._record)
        self._known: list[NDArray[np.void]] = list(
            takewhile(lambda record: record["check"] == _checksum(record), found)
        )
        self._file.truncate(len(self._known) * self._record.itemsize)
        if len(self._known) < len(found):
            print(f"{path}: record {len(self._known) + 1} is damaged: tried again from there on")
        self._synced = time.monotonic()

    def __len__(self) -> int:
        return len(self._known)

    def add(self, candidate: Array, paths: Paths) -> None:
        """Add what a candidate came to."""
        record = np.zeros((), self._record)
        record["candidate"], record["paths"] = candidate, paths
        record["check"] = _checksum(record)
        self._file.write(record.tobytes())
        self._known.append(record[()])
        if time.monotonic() - self._synced > SYNCED:
            self.sync()

    def sync(self) -> None:
        """Have all of it outlive this machine."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def records(self, start: int = 0, end: int | None = None) -> NDArray[np.void]:
        """Those from `start` on, shape (n,), with the fields `candidate` and `paths`."""
        return np.array(self._known[start:end], self._record)

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *_: object) -> None:
        self.sync()
        self._file.close()


def _checksum(record: NDArray[np.void]) -> int:
    return zlib.crc32(record.tobytes()[: -np.dtype(CHECK[1]).itemsize])
