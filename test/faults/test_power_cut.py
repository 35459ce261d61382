# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Logs cut off at any byte, with any byte changed: resuming is right, or refused with the line."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from example_run import record, trajectory, write_run

from bea_ros.runs.folder.check import check_run
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.log import line_of
from bea_ros.runs.folder.run_folder import (
    LOG,
    TRAJECTORIES,
    RunFolder,
    read_evaluations,
    read_trajectories,
)

RECORDS, DAMAGED = 5, 3  # records of the log, and how many of them, the last, are damaged
REQUEST = {"robot": "spider9", "task": "gait", "seed": 1}
# One bit of each byte by turns, and some others: `make test-faults` sets this to try every bit.
THOROUGH = bool(os.environ.get("BEA_THOROUGH"))


@pytest.fixture
def folder() -> Iterator[Path]:
    """An undisturbed run, in memory where there is such a place: thousands of writes follow."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    path = Path(tempfile.mkdtemp(dir=memory))
    yield write_run(path, REQUEST, *map(record, range(1, RECORDS + 1)))
    shutil.rmtree(path)


def resume(folder: Path) -> None:
    """Do what is left to do; raises RunFolderError."""
    run = RunFolder(folder, REQUEST, {})
    for number in range(len(run.evaluations) + 1, RECORDS + 1):
        run.append(record(number), trajectory(number))
    run.close()


def refusal_of(folder: Path) -> str:
    """Why the run does not resume; empty if it did."""
    try:
        resume(folder)
    except RunFolderError as error:
        return str(error)
    return ""


def masks(place: int) -> list[int]:
    bits = [1 << bit for bit in range(8)]
    return [*bits, 0xFF, 0x55] if THOROUGH else [bits[place % 8], bits[(place + 5) % 8]]


@pytest.mark.parametrize("name", [LOG, TRAJECTORIES])
def test_a_last_line_whose_end_an_editor_took_is_kept(folder: Path, name: str) -> None:
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:-1])
    assert len(read_evaluations(folder)) == len(read_trajectories(folder)) == RECORDS
    check_run(folder)
    assert (folder / name).read_bytes() == whole[:-1], "it repairs nothing, as nothing is torn"
    resume(folder)
    assert (folder / name).read_bytes() == whole


@pytest.mark.parametrize("name", [LOG, TRAJECTORIES])
def test_cut_off_at_every_byte_the_run_goes_on_as_undisturbed(folder: Path, name: str) -> None:
    whole = {n: (folder / n).read_bytes() for n in (LOG, TRAJECTORIES)}
    lines = whole[TRAJECTORIES].splitlines(keepends=True)
    begin = starts(whole[name])[-DAMAGED]
    for size in range(begin, len(whole[name])):
        for other, content in whole.items():
            (folder / other).write_bytes(content)
        (folder / name).write_bytes(whole[name][:size])
        if name == LOG:  # a trajectory comes to disk before its measurement, and no other one
            before = whole[LOG][:size].count(b"\n")
            (folder / TRAJECTORIES).write_bytes(b"".join(lines[: before + 1]))
        resume(folder)
        assert (folder / LOG).read_bytes() == whole[LOG], size
    print(f"\n{name} cut off at each of {len(whole[name]) - begin} bytes: resumed every time")


@pytest.mark.parametrize("name", [LOG, TRAJECTORIES])
def test_with_every_byte_changed_it_goes_on_as_undisturbed_or_is_refused(
    folder: Path, name: str
) -> None:
    whole = (folder / name).read_bytes()
    log = (folder / LOG).read_bytes()
    begins = starts(whole)
    tried = refused = 0
    for place in range(begins[-DAMAGED], len(whole)):
        line = sum(begin <= place for begin in begins)
        for mask in masks(place):
            damaged = bytearray(whole)
            damaged[place] ^= mask
            (folder / LOG).write_bytes(log)
            (folder / name).write_bytes(damaged)
            tried += 1
            refusal = refusal_of(folder)
            if refusal:
                refused += 1
                assert f"{name}: line {line} is damaged" in refusal
                assert (folder / name).read_bytes() == damaged  # and left as it is
            else:
                assert (folder / LOG).read_bytes() == log, (place, mask)
    print(f"\n{name}, {tried} bytes changed: {refused} refused, {tried - refused} resumed")
    assert refused > 0.9 * tried


def starts(content: bytes) -> list[int]:
    """Where each line of a log begins."""
    ends = [i + 1 for i, byte in enumerate(content) if byte == ord("\n")]
    return [0, *ends[:-1]]


@pytest.mark.parametrize("field", ["fitness", "time"])
def test_the_checksum_covers_every_field(field: str) -> None:
    one, other = record(1), record(1)
    other[field] = 2.0 if field == "fitness" else {**other["time"], "overhead": 0.002}
    assert line_of(one)[-12:] != line_of(other)[-12:]
