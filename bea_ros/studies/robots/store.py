# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Stores runs: one text file per run, a line per evaluation with its times and fitness.

The first line identifies the run, in JSON. A last line without a line feed, as after a kill, does
not count.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bea_ros.system.files import open_own, read_whole


class StoreError(ValueError):
    """A file from which a study cannot resume; the message is one line."""


class Entry(NamedTuple):
    """One evaluation: stage, fitness told to the optimizer, whether it was measured (False for a
    failed one), overhead and simulation (CPU s), checksum of the candidate, and the candidate if
    it was the best so far.
    """

    stage: str
    fitness: float
    measured: bool
    overhead: float
    simulation: float
    check: int
    candidate: tuple[float, ...] = ()

    @property
    def line(self) -> str:
        """The entry as a line of the file."""
        words = [
            self.stage, repr(self.fitness), str(int(self.measured)), f"{self.overhead:.6f}",
            f"{self.simulation:.4f}", f"{self.check:08x}", *map(repr, self.candidate),
        ]  # fmt: skip
        return " ".join(words) + "\n"

    @classmethod
    def parse(cls, line: str) -> Entry:
        """The entry of a line; raises ValueError."""
        stage, fitness, measured, overhead, simulation, check, *candidate = line.split()
        return cls(
            stage, float(fitness), measured == "1", float(overhead), float(simulation),
            int(check, 16), tuple(map(float, candidate)),
        )  # fmt: skip


def checksum(candidate: NDArray[np.float64]) -> int:
    """Checksum of a candidate."""
    return zlib.crc32(candidate.tobytes())


def read(path: Path) -> tuple[dict[str, Any], list[Entry], int]:
    """Head and evaluations of a file, and the size (bytes) of its complete lines.

    They are empty if there is no file yet. Raises StoreError for a damaged file.
    """
    content = read_whole(path) if path.exists() else b""
    whole = content[: content.rfind(b"\n") + 1]
    if not whole:
        return {}, [], 0
    try:
        first, *lines = whole.decode().splitlines()
        return json.loads(first), [Entry.parse(line) for line in lines], len(whole)
    except ValueError as error:
        raise StoreError(f"{path} is damaged: remove it to repeat the run") from error


class RunFile:
    """A run's file, opened by one process at a time to continue the run; a context manager.

    Raises StoreError if the file is in use, damaged or of another run than `head` says.
    """

    def __init__(self, path: Path, head: Mapping[str, Any]) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open_own(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise StoreError(f"{path} is in use by another process") from None
            before, self.entries, size = read(path)
            if before and before != dict(head):
                raise StoreError(f"{path} is of another run: choose another output folder")
            self._file.truncate(size)
            if not before:
                self._write(json.dumps(dict(head)) + "\n")
        except BaseException:
            self._file.close()  # and with it the lock
            raise

    def append(self, entry: Entry) -> None:
        """Add an evaluation; it is stored when this returns, also if the process is killed."""
        self._write(entry.line)
        self.entries.append(entry)

    def _write(self, text: str) -> None:
        """Write all of the text or nothing; raises OSError."""
        file, line = self._file.fileno(), text.encode()
        size = os.fstat(file).st_size
        try:
            if os.write(file, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        except OSError:
            os.ftruncate(file, size)
            raise

    def __enter__(self) -> RunFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


class EvaluationCounter:
    """Counts the evaluations in growing files; a file is read again only if it has grown."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._known = dict.fromkeys(paths, (0, 0))  # bytes, evaluations

    def count(self) -> int:
        """Evaluations in all files now."""
        for path, (size, _) in self._known.items():
            if path.exists() and path.stat().st_size > size:
                content = read_whole(path)
                evaluations = max(content.count(b"\n") - 1, 0)  # the first line is the head
                self._known[path] = len(content), evaluations
        return sum(self.each())

    def each(self) -> list[int]:
        """Evaluations in each file at the last count."""
        return [evaluations for _, evaluations in self._known.values()]
