# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea doctor RUN: says what is wrong with a run by line, and mends a torn last record alone."""

from __future__ import annotations

import json
import os
import resource
import signal
from pathlib import Path

import numpy as np
import pytest
from example_run import lines_of, record, trajectory, write_run

from bea_ros.__main__ import main
from bea_ros.runs.folder.best import BEST
from bea_ros.runs.folder.head import REQUEST, RunFolderError
from bea_ros.runs.folder.run_folder import LOG, TRAJECTORIES, RunFolder, read_evaluations
from bea_ros.tasks import Trajectory

ASKED = {"robot": "spider9", "task": "gait", "seed": 1}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_run(tmp_path, ASKED, *map(record, (1, 2, 3)), best=1)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


def test_a_good_run_is_left_alone(folder: Path, capsys: pytest.CaptureFixture) -> None:
    before = contents(folder)
    assert main(["doctor", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "3 measurements" in said
    assert "3 trajectories" in said
    assert "DAMAGED" not in said
    assert contents(folder) == before


def test_a_run_in_which_nothing_was_measured_lacks_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    write_run(tmp_path, ASKED, {**record(1), "given_up": True})
    assert main(["doctor", str(tmp_path)]) == 0
    assert "best.yaml: none, as nothing was measured" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "what"), [(LOG, "measurements"), (TRAJECTORIES, "trajectories")])
def test_a_torn_last_record_is_cut_off(
    folder: Path, capsys: pytest.CaptureFixture, name: str, what: str
) -> None:
    lines = lines_of(folder, name)
    (folder / name).write_bytes(b"".join(lines[:2]) + lines[2][:50])
    assert main(["doctor", str(folder)]) == 0
    assert f"2 {what}; 50 bytes of a torn one were cut off" in capsys.readouterr().out
    assert (folder / name).read_bytes() == b"".join(lines[:2])


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        (LOG, b'"fitness": 0.01', b'"fitness": 0.02', "line 1: its checksum is wrong"),
        (TRAJECTORIES, b"0.66667", b"0.66668", "line 1: its checksum is wrong"),
        (REQUEST, b"seed: 1", b"seed: 2", "run.yaml was damaged or changed"),
        (REQUEST, b"# crc", b"# src", "run.yaml has no checksum"),
        (BEST, b"- 0.03", b"- 0.04", "best.yaml was damaged or changed"),
    ],
)
def test_damage_is_told_and_left(
    folder: Path, capsys: pytest.CaptureFixture, name: str, old: bytes, new: bytes, words: str
) -> None:
    damaged = (folder / name).read_bytes().replace(old, new, 1)
    (folder / name).write_bytes(damaged)
    assert main(["doctor", str(folder)]) == 1
    assert words in capsys.readouterr().out
    assert (folder / name).read_bytes() == damaged


def test_two_records_run_into_one_are_no_torn_one(folder: Path) -> None:
    lines = lines_of(folder, LOG)
    joined = b"".join(lines[:2]).rstrip(b"\n") + b" " + lines[2][:50]
    (folder / LOG).write_bytes(joined)
    assert main(["doctor", str(folder)]) == 1
    assert (folder / LOG).read_bytes() == joined


def test_blocks_that_never_came_to_disk_are_torn(folder: Path) -> None:
    lines = lines_of(folder, LOG)
    (folder / LOG).write_bytes(b"".join(lines[:2]) + bytes(100) + lines[2][100:])
    assert main(["doctor", str(folder)]) == 0
    assert (folder / LOG).read_bytes() == b"".join(lines[:2])


def test_a_run_in_use_is_checked_but_not_repaired(
    folder: Path, capsys: pytest.CaptureFixture
) -> None:
    run = RunFolder(folder, ASKED, {})
    with (folder / LOG).open("ab") as file:
        file.write(b'{"eval')
    assert main(["doctor", str(folder)]) == 0
    said = capsys.readouterr().out
    assert f"in use by another learner (process {os.getpid()} on" in said
    assert said.endswith(f"the run is under way: bea report {folder} shows what it has\n")
    assert (folder / LOG).read_bytes().endswith(b'{"eval')
    run.close()


def test_what_is_to_be_typed_can_be_typed_for_a_folder_with_spaces(
    folder: Path, capsys: pytest.CaptureFixture
) -> None:
    spaced = folder.rename(folder.with_name("my run"))
    assert main(["doctor", str(spaced)]) == 0
    assert capsys.readouterr().out.endswith(f"bea learn --output '{spaced}'\n")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"evaluations": 2}, "can be resumed: bea learn --output"),
        ({"evaluations": 1}, "is finished: bea report"),
        ({"evaluations": 1, "confirm": 1}, "can be resumed: bea learn --output"),
    ],
)
def test_a_finished_run_need_not_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture, asked: dict[str, int], words: str
) -> None:
    write_run(tmp_path, ASKED | asked, record(1), best=1)
    assert main(["doctor", str(tmp_path)]) == 0
    assert f"the run {words} {tmp_path}" in capsys.readouterr().out


def test_a_missing_record_and_a_log_without_its_run_are_noticed(folder: Path) -> None:
    lines = lines_of(folder, LOG)
    (folder / LOG).write_bytes(lines[0] + lines[2])
    with pytest.raises(RunFolderError, match="line 2 is damaged: it has evaluation 3, not 2"):
        read_evaluations(folder)
    (folder / LOG).write_bytes(b"".join(lines))
    (folder / REQUEST).unlink()
    with pytest.raises(RunFolderError, match=r"has evaluations, but no run\.yaml"):
        RunFolder(folder, ASKED, {})


def test_a_run_of_format_1_is_read_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / REQUEST).write_text("format: 1\nrequest: {robot: spider9, task: gait, seed: 1}\n")
    (tmp_path / LOG).write_text(json.dumps(record(1)) + "\n")
    write_run(tmp_path, ASKED, record(2))
    assert read_evaluations(tmp_path) == [record(1), record(2)]
    log = (tmp_path / LOG).read_text()
    (tmp_path / LOG).write_text(log.replace('"overhead": 0.001', '"overhead": 0.7'))
    with pytest.raises(RunFolderError, match="line 2 is damaged: its checksum is wrong"):
        read_evaluations(tmp_path)


def test_a_second_writer_on_a_file_system_with_useless_locks_is_found_out(folder: Path) -> None:
    run = RunFolder(folder, ASKED, {})
    other = (folder / LOG).read_bytes() + b"what another one wrote\n"
    (folder / LOG).write_bytes(other)
    with pytest.raises(RunFolderError, match=r"another program has written to evaluations\.jsonl"):
        run.append(record(4), trajectory(4))
    run.close()
    assert (folder / LOG).read_bytes() == other


def test_a_full_disk_leaves_the_folder_as_it_was(folder: Path) -> None:
    before = contents(folder)
    run = RunFolder(folder, ASKED, {})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        for room in (10, 200):  # less than the record needs
            size = max(len(content) for content in before.values())
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, limits[1]))
            with pytest.raises(RunFolderError, match="cannot write to"):
                run.append(record(4), Trajectory(*np.tile(np.arange(50.0), (4, 1))))
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            assert contents(folder) == before
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    run.append(record(4), trajectory(4))  # when there is room again
    run.close()
    assert [r["evaluation"] for r in read_evaluations(folder)] == [1, 2, 3, 4]
