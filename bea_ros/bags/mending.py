# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Restores recordings that were cut off, as when the recorder was killed.

Layout (https://mcap.dev/spec): magic bytes, then records. A record has an opcode, its length
(8 bytes, little endian) and that many bytes.
"""

from __future__ import annotations

from pathlib import Path

from bea_ros.system.files import open_regular

MAGIC = b"\x89MCAP0\r\n"
DATA_END, FOOTER = b"\x0f", b"\x02"
HEAD = 9  # bytes of opcode and length
PIECE = 2**20  # bytes copied at once


def is_cut_off(path: Path) -> bool:
    """Whether the end of an MCAP file is missing; raises OSError."""
    with open_regular(path) as file:
        size = file.seek(0, 2)
        file.seek(max(size - len(MAGIC), 0))
        return file.read() != MAGIC


def mend(path: Path, copy: Path) -> None:
    """Copy the complete records of a cut-off MCAP file and add an end; raises OSError.

    The copy has no index, so readers scan all of it.
    """
    left = _whole(path)
    with open_regular(path) as source, copy.open("wb") as target:
        while left and (piece := source.read(min(left, PIECE))):
            target.write(piece)
            left -= len(piece)
        target.write(_record(DATA_END, bytes(4)) + _record(FOOTER, bytes(20)) + MAGIC)


def _whole(path: Path) -> int:
    """Length (bytes) of a file up to the end of its last complete record."""
    with open_regular(path) as file:
        size = file.seek(0, 2)
        end = file.seek(min(len(MAGIC), size))
        while len(head := file.read(HEAD)) == HEAD and head[:1] not in (DATA_END, FOOTER, b"\0"):
            following = end + HEAD + int.from_bytes(head[1:], "little")
            if following > size:
                break
            end = file.seek(following)
    return end


def _record(opcode: bytes, content: bytes) -> bytes:
    return opcode + len(content).to_bytes(8, "little") + content
