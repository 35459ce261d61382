# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Append-only logs of a run: a JSON object a line, each with a checksum of its own line.

The checksum is the last thing in a line: `crc` in the record's `time`, or in the record itself if
it has none. It is the CRC-32 of all bytes of the line before its own eight digits, and what comes
after them is fixed, so no byte of a line can change unnoticed. Before it stands `after`, the
CRC-32 of the line before (0: there is none): no line can be elsewhere, gone, or there twice.
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
UNPRINTABLE = re.compile(rb"\\u00(?:[01][0-9a-f]|7f|[89][0-9a-f])")  # commands to a terminal
START = b'{"evaluation":'  # of every record

Record = dict[str, Any]
# Of a record and the latest evaluation so far, None after damage; raises ValueError.
Check = Callable[[Record, int | None], None]


def line_of(record: Mapping[str, Any], after: int = 0) -> bytes:
    """The record as a line; raises ValueError for NaN and infinity, which JSON does not have.

    `after` is the CRC-32 of the line before.
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
    """The record of a line, and the CRC-32 of the line before as far as it says so.

    Raises ValueError with the reason if the line is damaged; without `checksums` (logs of format 1
    have none) a line may lack its own.
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
        raise ValueError("it has no number of an evaluation")
    if not checksum:
        return record, None
    holder = record["time"] if isinstance(record.get("time"), dict) else record
    holder.pop("crc", None)
    return record, holder.pop("after", None)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


class Place(NamedTuple):
    """Where a record of a log ends: byte, and CRC-32 of its line."""

    size: int = 0
    crc: int = 0


@dataclass
class Log:
    """A log as it was found.

    `records` and, for each, the byte at which it ends and the CRC-32 of its line; `damage` by
    number of line; `torn` bytes of a last record that never came to disk whole.
    """

    records: list[Record] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    crcs: list[int] = field(default_factory=list)
    damage: list[tuple[int, str]] = field(default_factory=list)
    torn: int = 0

    @property
    def numbers(self) -> list[int]:
        """The evaluation of each record."""
        return [record["evaluation"] for record in self.records]

    def place(self, count: int) -> Place:
        """Where the first `count` records end."""
        return Place(self.ends[count - 1], self.crcs[count - 1]) if count else Place()


def read_log(path: Path, check: Check, checksums: bool) -> Log:
    """What is in a log; a file that does not exist has nothing in it. Raises OSError.

    `check` says what is wrong with a whole record by raising ValueError.
    """
    log = Log()
    if not path.exists():
        return log
    content = read_whole(path)
    end = 0
    latest: int | None = 0
    before: int | None = 0  # the CRC-32 of the line before; None after damage
    measured: dict[bytes, int] = {}  # their lines; no two measurements take the same time
    for number, line in enumerate(lines_in(content), 1):
        end += len(line)
        try:
            record, after = record_of(line, checksums)
            if not line.endswith(b"\n"):
                raise ValueError("it has no end")
            if line in measured:
                raise ValueError(f"it is line {measured[line]} once more")
            check(record, latest)
            if None not in (before, after) and before != after:
                raise ValueError("it is not what was written after the line before it")
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
        log.ends.append(end)
        log.crcs.append(before)
    return log


def lines_in(content: bytes) -> Iterator[bytes]:
    """Lines with their ends; bytes.splitlines takes a carriage return for an end."""
    begin = 0
    while begin < len(content):
        end = content.find(b"\n", begin) + 1 or len(content)
        yield content[begin:end]
        begin = end


def _is_torn(line: bytes) -> bool:
    """Whether the last line is one record of which some part never came to disk.

    Such parts are missing at the end, or are blocks of zeros.
    """
    return (not line.endswith(b"\n") or b"\0" in line) and line.count(START) <= 1


class LogFile:
    """A log open for appending; whole lines only, each on disk before `append` returns."""

    def __init__(self, path: Path, place: Place) -> None:
        """Cut the log off where its last record ends; raises OSError."""
        self.path = path
        self.place = place
        if path.exists() and path.stat().st_size > place.size:
            self.cut(place)

    def append(self, record: Mapping[str, Any]) -> None:
        """Put a record on disk; raises OSError, and ValueError for what JSON does not have.

        What failed half-way is cut off again, as far as the disk lets us.
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
        """Whether all that was written is still there, as far as its size tells."""
        try:
            return self.path.stat().st_size >= self.place.size
        except OSError:
            return self.place.size == 0

    def cut(self, place: Place) -> None:
        """Leave what ends there."""
        with open_own(self.path, os.O_RDWR) as file:
            file.truncate(place.size)
            os.fsync(file.fileno())
        self.place = place
