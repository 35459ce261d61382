# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Append-only logs of a run: one JSON object per line, with a checksum.

The checksum comes last in a line: `crc` in the record's `time`, or in the record itself if that
has no `time`. It is the CRC-32 of all bytes of the line before its eight digits. The bytes after
them are fixed, so a change of any byte is detected. Before it stands `after`, the CRC-32 of the
previous line (0 in the first line). So a line that is moved, missing or repeated is detected, too.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from bea_ros.system.files import open_own, read_whole, sync_directory

CHECKSUM = re.compile(rb'"crc": "([0-9a-f]{8})"\}{1,2}\n\Z')
UNPRINTABLE = re.compile(rb"\\u00(?:[01][0-9a-f]|7f|[89][0-9a-f])")  # control characters
START = b'{"evaluation":'  # of every record

Record = dict[str, Any]
# Function of a record and the latest evaluation, None after damage; raises ValueError.
Check = Callable[[Record, int | None], None]


def line_of(record: Mapping[str, Any], after: int = 0) -> bytes:
    """Return the record as a line; raises ValueError for NaN and infinity, which JSON lacks.

    `after` is the CRC-32 of the previous line.
    """
    record, seal = dict(record), {"after": after, "crc": ""}
    if "time" in record:
        record["time"] = {**record.pop("time"), **seal}
    else:
        record.update(seal)
    text = json.dumps(record, allow_nan=False).encode()
    digits = text.rindex(b'"')  # the closing quote of the empty checksum
    return text[:digits] + f"{zlib.crc32(text[:digits]):08x}".encode() + text[digits:] + b"\n"


def record_of(line: bytes, checksums: bool) -> tuple[Record, int | None]:
    """Return the record of a line, and the CRC-32 of the previous line if it is given.

    Raises ValueError with the reason if the line is damaged. Without `checksums`, as in format 1,
    a line may lack its checksum.
    """
    checksum = CHECKSUM.search(line)
    if checksum is None and checksums:
        changed = line.endswith(b"\r\n")
        raise ValueError("it ends as lines on Windows do" if changed else "it has no checksum")
    if checksum and zlib.crc32(line[: checksum.start(1)]) != int(checksum[1], 16):
        raise ValueError("its checksum is wrong")
    if UNPRINTABLE.search(line):
        raise ValueError("it has a character that cannot be printed")
    try:
        record = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise ValueError("it is not a JSON object") from None
    if not isinstance(record, dict) or not _is_count(record.get("evaluation")):
        raise ValueError("it has no evaluation number")
    if not line.endswith(b"\n"):
        raise ValueError("it has no end")
    if not checksum:
        return record, None
    holder = record["time"] if isinstance(record.get("time"), dict) else record
    holder.pop("crc", None)
    return record, holder.pop("after", None)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


class Place(NamedTuple):
    """End of a record in a log: byte, and CRC-32 of its line."""

    size: int = 0
    crc: int = 0


@dataclass
class Log:
    """The contents of a log file.

    Each of the `records` has a place where it ends. `damage` has line numbers and reasons. `torn`
    is the number of bytes of an incomplete last record.
    """

    records: list[Record] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    damage: list[tuple[int, str]] = field(default_factory=list)
    torn: int = 0

    @property
    def numbers(self) -> list[int]:
        """Evaluation number of each record."""
        return [record["evaluation"] for record in self.records]

    def place(self, count: int) -> Place:
        """End of the first `count` records."""
        return self.places[count - 1] if count else Place()


def read_log(path: Path, check: Check, checksums: bool) -> Log:
    """Read a log; a missing file is an empty log. Raises OSError.

    `check` raises ValueError, with the reason, if a complete record is wrong.
    """
    log = Log()
    if not path.exists():
        return log
    content = ended(read_whole(path))
    end = 0
    latest: int | None = 0
    before: int | None = 0  # CRC-32 of the previous line; None after damage
    measured: dict[bytes, int] = {}  # by line; no two measurements have equal times
    for number, line in enumerate(lines_in(content), 1):
        end += len(line)
        try:
            record, after = record_of(line, checksums)
            if line in measured:
                raise ValueError(f"it is line {measured[line]} once more")
            check(record, latest)
            if None not in (before, after) and before != after:
                raise ValueError("it does not belong after the previous line")
        except ValueError as error:
            if end == len(content) and _is_torn(line):
                log.torn = len(line)
            else:
                log.damage.append((number, str(error)))
            latest = before = None
            continue
        latest = max(latest or 0, record["evaluation"])
        before = zlib.crc32(line)
        if "time" in record:
            measured[line] = number
        log.records.append(record)
        log.places.append(Place(end, before))
    return log


def ended(content: bytes) -> bytes:
    """Add the line end that an editor or a transfer took from a complete last record."""
    last = content[content.rfind(b"\n") + 1 :] + b"\n"
    try:
        record_of(last, checksums=True)
    except ValueError:
        return content
    return content + b"\n"


def lines_in(content: bytes) -> Iterator[bytes]:
    """Yield lines with their ends. (bytes.splitlines also splits at carriage returns.)"""
    begin = 0
    while begin < len(content):
        end = content.find(b"\n", begin) + 1 or len(content)
        yield content[begin:end]
        begin = end


def _is_torn(line: bytes) -> bool:
    """Whether the last line is a record that was not completely written.

    Its end is missing, or some of its blocks are zeros.
    """
    return (not line.endswith(b"\n") or b"\0" in line) and line.count(START) <= 1


class LogFile:
    """A log open for appending. A line is completely on disk when `append` returns."""

    def __init__(self, path: Path, place: Place) -> None:
        """Truncate the log after its last record, or end that one's line; raises OSError."""
        self.path = path
        self.place = place
        size = path.stat().st_size if path.exists() else 0
        if size > place.size:
            self.cut(place)
        elif size == place.size - 1:  # see `ended`
            with open_own(path, os.O_RDWR | os.O_APPEND, 0) as file:
                file.write(b"\n")
                os.fsync(file.fileno())

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a record to disk; raises OSError, or ValueError for values that JSON lacks.

        After a failure the incomplete record is removed, if the disk allows it.
        """
        line = line_of(record, self.place.crc)
        with open_own(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0) as file:
            if file.seek(0, os.SEEK_END) != self.place.size:
                raise OSError(errno.EBUSY, f"another program has written to {self.path.name}")
            try:
                if file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(file.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    self.cut(self.place)
                raise
        if self.place.size == 0:
            sync_directory(self.path.parent)
        self.place = Place(self.place.size + len(line), zlib.crc32(line))

    @property
    def kept(self) -> bool:
        """Whether the file still has its size, as far as can be seen."""
        try:
            return self.path.stat().st_size >= self.place.size
        except PermissionError:  # somebody took away our rights, not the file
            return True
        except OSError:
            return self.place.size == 0

    def cut(self, place: Place) -> None:
        """Truncate the log at this place."""
        with open_own(self.path, os.O_RDWR) as file:
            file.truncate(place.size)
            os.fsync(file.fileno())
        self.place = place
