# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Log, trajectories and best.yaml are held against each other: what does not fit is refused."""

from __future__ import annotations

import itertools
import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from example_run import best_of, lines_of, record, trajectory, write_run

from bea_ros.runs.folder.best import BEST
from bea_ros.runs.folder.check import check_run
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.run_folder import LOG, TRAJECTORIES, RunFolder
from bea_ros.runs.learned import read_learned
from bea_ros.tasks import Trajectory

REQUEST = {
    "robot": "spider9", "generation": "small", "masses": "nominal", "profile": "default",
    "task": "gait", "algorithm": "bea", "seed": 1,
}  # fmt: skip
KINDS = [
    (1, ""),
    (2, ""),
    (2, "repetition"),
    (3, ""),
    (4, ""),
    (4, "correction"),
    (2, "repetition"),
]
Lines = list[bytes]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run with repetitions and a correction, each measured at another time."""
    run = RunFolder(tmp_path, REQUEST, {})
    for at, (number, kind) in enumerate(KINDS):
        line = {**record(number), **({"kind": kind} if kind else {})}
        line["time"]["evaluation"] = 0.5 + at / 100
        run.append(line, trajectory(number, turn=at / 10))
    run.write_best(best_of(4), "gait")
    run.close()
    return tmp_path


def doubled(lines: Lines) -> list[Lines]:
    places = itertools.product(range(len(lines)), range(len(lines) + 1))
    return [[*lines[:to], lines[one], *lines[to:]] for one, to in places]


def swapped(lines: Lines) -> list[Lines]:
    found = []
    for one, other in itertools.combinations(range(len(lines)), 2):
        edited = list(lines)
        edited[one], edited[other] = lines[other], lines[one]
        found.append(edited)
    return found


def without(lines: Lines) -> list[Lines]:
    spans = itertools.combinations(range(len(lines) + 1), 2)
    return [[*lines[:begin], *lines[end:]] for begin, end in spans]


def refusal_of(folder: Path) -> str:
    """Why the run does not resume; empty if it did."""
    try:
        RunFolder(folder, REQUEST, {}).close()
    except RunFolderError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", [LOG, TRAJECTORIES])
def test_a_log_of_another_run_with_these_candidates_is_refused(folder: Path, name: str) -> None:
    """As of a real robot, which moves in another way each time."""
    other = folder / "other"
    run = RunFolder(other, REQUEST, {})
    for number, kind in KINDS:
        line = {**record(number), "fitness": 0.02, **({"kind": kind} if kind else {})}
        line["terms"] = {"displacement": 0.6}
        run.append(line, Trajectory([0.0, 30.0], [0.0, 0.6], [0.0, 0.0], [0.0, 0.0]))
    run.close()
    assert not refusal_of(other)
    (other / name).replace(folder / name)
    assert re.search(r"jsonl: line 1: its \w+ 0\.\d+ is not that of its traj", refusal_of(folder))
    assert check_run(folder) == 1


@pytest.mark.parametrize("edit", [doubled, swapped, without])
@pytest.mark.parametrize("name", [LOG, TRAJECTORIES])
def test_whatever_line_is_there_twice_elsewhere_or_gone_it_is_refused_or_nothing_more_is_lost(
    folder: Path,
    capsys: pytest.CaptureFixture,
    name: str,
    edit: Callable[[Lines], list[Lines]],
) -> None:
    whole = {other: lines_of(folder, other) for other in (LOG, TRAJECTORIES)}
    write_run(folder, REQUEST, best=1)  # old: a new one would give away much of this
    refused = 0
    for edited in edit(whole[name]):
        for other, lines in whole.items():
            (folder / other).write_bytes(b"".join(edited if other == name else lines))
        said = refusal_of(folder)
        code = check_run(folder)
        told = capsys.readouterr().out
        assert code == bool(said), (said, told)
        if said:
            refused += 1
            assert re.search(r"jsonl: line \d+", said)
            assert lines_of(folder, name) == edited
            assert "DAMAGED" in told
            continue
        log, stored = lines_of(folder, LOG), lines_of(folder, TRAJECTORIES)
        if name == LOG:  # as if it had crashed before its last measurement, and no other
            assert log == edited == whole[LOG][:-1]
            assert stored == whole[TRAJECTORIES][:-1]
        else:
            assert log == whole[LOG]
            assert stored == edited == whole[TRAJECTORIES][: len(edited)]
            assert "none of" in told or stored == whole[TRAJECTORIES]
    assert refused == len(edit(whole[name])) - (edit is without) * (
        7 if name == TRAJECTORIES else 1
    )


def unchained(line: bytes) -> bytes:
    """A line as it was written before lines named the one before them."""
    record = json.loads(line)
    holder = record.get("time", record)
    del holder["after"]
    holder["crc"] = ""
    text = json.dumps(record).encode()
    digits = text.rindex(b'"')
    return text[:digits] + f"{zlib.crc32(text[:digits]):08x}".encode() + text[digits:] + b"\n"


@pytest.mark.parametrize("edit", [doubled, swapped])
def test_of_an_older_run_no_trajectory_is_lost_unnoticed_either(
    folder: Path, edit: Callable[[Lines], list[Lines]]
) -> None:
    """Of one measurement each, but for the last, of which it cannot be told."""
    (folder / BEST).unlink()
    for name in (LOG, TRAJECTORIES):
        lines = [unchained(line) for line in lines_of(folder, name)]
        (folder / name).write_bytes(b"".join([*lines[:2], *lines[3:5]]))
    assert refusal_of(folder) == ""
    whole = lines_of(folder, TRAJECTORIES)
    for edited in edit(whole):
        (folder / TRAJECTORIES).write_bytes(b"".join(edited))
        said = refusal_of(folder)
        if edited[:-1] == whole:
            assert lines_of(folder, TRAJECTORIES) == whole
        elif edited != whole:
            assert re.search(r"trajectories\.jsonl: line \d+: its evaluation", said)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (best_of(9), "it is of evaluation 9, which the log does not have"),
        ({**best_of(4), "values": [0.5]}, "its values are not those of evaluation 4 in the log"),
        ({**best_of(4), "names": ["leg_01"]}, "its values are not those of evaluation 4"),
    ],
)
def test_a_best_candidate_that_the_log_does_not_have_is_refused_by_all_who_read_it(
    folder: Path, capsys: pytest.CaptureFixture, other: dict[str, object], words: str
) -> None:
    run = RunFolder(folder, REQUEST, {})
    run.write_best(other, "of another run")
    run.close()
    assert f"{BEST}: {words}" in refusal_of(folder)
    assert check_run(folder) == 1
    assert words in capsys.readouterr().out
    with pytest.raises(RunFolderError, match=words):
        read_learned(folder)


def test_a_log_that_lost_the_best_is_refused(folder: Path) -> None:
    run = RunFolder(folder, REQUEST, {})
    run.append(record(5), trajectory(9))
    run.write_best(best_of(5), "gait")
    run.close()
    (folder / LOG).write_bytes(b"".join(lines_of(folder, LOG)[:-1]))
    assert "it is of evaluation 5, which the log does not have" in refusal_of(folder)


def test_a_best_candidate_that_is_old_is_told_and_no_damage(
    folder: Path, capsys: pytest.CaptureFixture
) -> None:
    write_run(folder, REQUEST, record(5))
    assert check_run(folder) == 0
    assert "evaluation 4; the log has a better one, 5" in capsys.readouterr().out
    assert read_learned(folder).evaluation == 4
