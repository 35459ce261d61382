# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea doctor RUN --salvage: all that is good, and from where a run resumes."""

from __future__ import annotations

import codecs
import json
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from example_run import best_of, lines_of, record, trajectory, write_run

from bea_ros.__main__ import main
from bea_ros.runs.folder.best import BEST, read_best
from bea_ros.runs.folder.head import REQUEST, RunFolderError
from bea_ros.runs.folder.log import line_of, record_of
from bea_ros.runs.folder.measurements import CORRECTION, REPETITION
from bea_ros.runs.folder.run_folder import (
    LOG,
    TRAJECTORIES,
    RunFolder,
    read_evaluations,
    read_measurements,
    read_trajectories,
)

ASKED = {
    "robot": "spider9", "generation": "small", "masses": "nominal", "task": "gait", "seed": 1,
    "profile": "default", "evaluations": 20,
}  # fmt: skip
EVALUATIONS = 6


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Six evaluations; of the fourth there are two measurements, the sixth is doubted."""
    folder = RunFolder(tmp_path / "run", ASKED, {"numpy": "2"}, {"arena": "arena.yaml"})
    for number in range(1, EVALUATIONS + 1):
        folder.append(record(number), trajectory(number))
        if number == 4:
            folder.append(
                {**record(4), "fitness": 0.03, "kind": REPETITION}, trajectory(3, turn=0.4)
            )
    folder.append({**record(6), "fitness": 0.02, "kind": CORRECTION}, trajectory(2, turn=0.6))
    folder.write_best(best_of(5), "gait")
    folder.close()
    return folder.path


def change(run: Path, name: str, work: Callable[[list[bytes]], list[bytes]]) -> None:
    (run / name).write_bytes(b"".join(work(lines_of(run, name))))


def salvaged(run: Path) -> Path:
    """The folder; the damaged one is as it was, and the new one is undamaged and resumes."""
    before = {path.name: path.read_bytes() for path in run.iterdir() if path.name != ".lock"}
    assert main(["doctor", str(run), "--salvage"]) == 0
    after = {path.name: path.read_bytes() for path in run.iterdir() if path.name != ".lock"}
    assert after == before
    new = run.with_name("run-salvaged")
    assert main(["doctor", str(new)]) == 0
    write_run(new, ASKED, record(len(read_evaluations(new)) + 1))
    change(new, LOG, lambda those: those[:-1])
    change(new, TRAJECTORIES, lambda those: those[:-1])
    return new


SWAPPED_OR_TWICE: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "twice": lambda those: [*those[:3], those[1], *those[3:]],
    "swapped": lambda those: [*those[:2], those[4], those[3], those[2], *those[5:]],
    "backwards": lambda those: those[::-1],
    "with something between": lambda those: [*those[:2], b"\0\n", b"{}\n", *those[2:]],
}


@pytest.mark.parametrize("name", [LOG, TRAJECTORIES])
@pytest.mark.parametrize("damage", SWAPPED_OR_TWICE)
def test_lines_that_are_all_there_come_into_their_order_again(
    run: Path, name: str, damage: str
) -> None:
    wanted = {name: (run / name).read_bytes() for name in (LOG, TRAJECTORIES)}
    change(run, name, SWAPPED_OR_TWICE[damage])
    assert main(["doctor", str(run)]) == 1
    new = salvaged(run)
    assert {name: (new / name).read_bytes() for name in wanted} == wanted
    assert read_best(new)["evaluation"] == 5
    assert not run.with_name("run-salvaged-all").exists()


@pytest.mark.parametrize("bad", range(EVALUATIONS + 2))
def test_of_a_log_with_a_gap_all_before_it_resumes_and_all_is_kept(
    run: Path, bad: int, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [json.loads(line) for line in lines_of(run, LOG)]
    change(run, LOG, lambda those: [*those[:bad], damaged(those[bad]), *those[bad + 1 :]])
    assert main(["doctor", str(run)]) == 1
    if bad == 0:
        monkeypatch.chdir(run)
        assert main(["doctor", ".", "--salvage"]) == 0
        assert not run.with_name("run-salvaged").exists()
    else:
        new = salvaged(run)
        assert [json.loads(line) for line in lines_of(new, LOG)] == every[:bad]
        assert is_best(new)
    if bad == len(every) - 1:
        return
    rest = run.with_name("run-salvaged-all")
    capsys.readouterr()
    assert main(["doctor", str(rest)]) == 0
    said = capsys.readouterr().out
    assert "no run resumes from this" in said
    assert "can be resumed" not in said
    kept = [e["fitness"] for e in sorted([*every[:bad], *every[bad + 1 :]], key=by_evaluation)]
    assert [json.loads(line)["fitness"] for line in lines_of(rest, LOG)] == kept
    assert is_best(rest)
    assert len(read_trajectories(rest)) >= len(read_evaluations(rest)) - 1


def is_best(folder: Path) -> bool:
    fitness = {e["evaluation"]: e["fitness"] for e in read_evaluations(folder)}
    return fitness[read_best(folder)["evaluation"]] == max(fitness.values())


def damaged(line: bytes) -> bytes:
    return line.replace(b'"fitness": 0.', b'"fitness": 1.')


def by_evaluation(line: dict) -> int:
    return int(line["evaluation"])


def test_line_ends_and_marks_of_another_system_cost_nothing(
    run: Path, capsys: pytest.CaptureFixture
) -> None:
    whole = {name: lines_of(run, name) for name in (LOG, TRAJECTORIES)}
    for name in (*whole, BEST, REQUEST):
        content = (run / name).read_bytes().replace(b"\n", b"\r\n")
        (run / name).write_bytes(codecs.BOM_UTF8 + content)
    assert main(["doctor", str(run), "--salvage"]) == 0
    new = run.with_name("run-salvaged")
    assert {name: lines_of(new, name) for name in whole} == whole
    assert main(["doctor", str(new)]) == 0
    (run / REQUEST).unlink()
    capsys.readouterr()
    assert main(["doctor", str(run)]) == 1
    said = capsys.readouterr().out
    assert "line 2: it ends as lines on Windows do" in said
    assert "--salvage" not in said
    assert "Put a copy back" in said.splitlines()[-1]


def test_a_log_that_is_damaged_all_over_is_told_in_few_lines(
    run: Path, capsys: pytest.CaptureFixture
) -> None:
    change(run, LOG, lambda those: [b"no JSON\n"] * 500)
    assert main(["doctor", str(run)]) == 1
    damage = [line for line in capsys.readouterr().out.splitlines() if line.startswith("DAMAGED")]
    assert len(damage) == 9
    assert damage[-1].endswith("... and 492 more like these")
    assert main(["doctor", str(run), "--salvage"]) == 1
    assert "left out: ... and 492 more like these" in capsys.readouterr().out.splitlines()


def test_what_is_left_out_and_how_to_go_on_is_said(
    run: Path, capsys: pytest.CaptureFixture
) -> None:
    change(run, LOG, lambda those: [*those[:2], b"no JSON\n", *those[3:]])
    main(["doctor", str(run)])
    assert "bea doctor" in capsys.readouterr().out.splitlines()[-1]
    main(["doctor", str(run), "--salvage"])
    said = capsys.readouterr().out
    new = run.with_name("run-salvaged")
    for words in (
        f"left out: {LOG}: line 3: it has no checksum",
        "left out: trajectories.jsonl: 1 of evaluation 3, which has 0 good measurements",
        f"wrote {new}: 2 measurements, 2 trajectories, best: evaluation 2 (0.0200)",
        f"resume with: bea learn --output {new}",
        "5 measurements are good, but one before them is gone",
        f"--warm-start {new}-all",
    ):
        assert words in said
    assert main(["doctor", str(run), "--salvage"]) == 2
    assert "is there already: choose another --output" in capsys.readouterr().err
    assert main(["doctor", str(run), "--salvage", "--output", str(new / "other")]) == 0
    assert main(["doctor", str(new)]) == 0
    assert f"from evaluation 3 on, salvaged from {run}" in capsys.readouterr().out


def test_a_trajectory_that_is_gone_takes_no_measurement_with_it(run: Path) -> None:
    change(run, TRAJECTORIES, lambda those: [*those[:3], *those[4:]])  # the first of the fourth
    new = salvaged(run)
    assert lines_of(new, LOG) == lines_of(run, LOG)
    assert set(read_trajectories(new)) == {1, 2, 3, 5, 6}


def test_a_best_that_is_not_of_the_log_is_written_anew(
    run: Path, capsys: pytest.CaptureFixture
) -> None:
    change(run, LOG, lambda those: those[:3])
    assert main(["doctor", str(run)]) == 1
    assert "it is of evaluation 5, which the log does not have" in capsys.readouterr().out
    with pytest.raises(RunFolderError):
        RunFolder(run, ASKED, {"numpy": "2"})
    assert read_best(salvaged(run))["evaluation"] == 3


def test_a_head_that_was_edited_is_taken_as_it_reads_and_one_that_is_gone_is_not(
    run: Path, capsys: pytest.CaptureFixture
) -> None:
    (run / REQUEST).write_bytes((run / REQUEST).read_bytes().replace(b"arena.yaml", b"other.yaml"))
    assert read_best(salvaged(run))["evaluation"] == 5
    assert "it is taken as it reads: robot spider9, " in capsys.readouterr().out
    content = (run / REQUEST).read_bytes()
    for cut in (content.partition(b"request:")[0] + b"request: {}\n", None):
        (run / REQUEST).unlink()
        if cut is not None:
            (run / REQUEST).write_bytes(cut)
        assert main(["doctor", str(run), "--salvage", "--output", str(run / "new")]) == 2
        said = capsys.readouterr().err
        assert "of what robot and task its measurements are is not known" in said


def test_a_good_run_and_one_in_use_are_not_salvaged(
    run: Path, capsys: pytest.CaptureFixture
) -> None:
    assert main(["doctor", str(run), "--salvage"]) == 0
    assert "there is nothing to salvage" in capsys.readouterr().out
    (run / BEST).write_text("no candidate")
    other = RunFolder(run, ASKED, {"numpy": "2"})
    assert main(["doctor", str(run), "--salvage"]) == 2
    assert "is in use by another learner" in capsys.readouterr().err
    other.close()
    assert main(["doctor", "--salvage"]) == 2
    assert main(["doctor", str(run), "--output", "x"]) == 2
    assert not run.with_name("run-salvaged").exists()


def test_a_run_that_learned_resumes_and_its_log_is_as_if_nothing_had_been(tmp_path: Path) -> None:
    words = ["--in-process", "--no-images", "--robot", "gecko7", "--duration", "1"]
    words += ["--algorithm", "ea", "--evaluations", "14"]
    assert main(["learn", "--output", str(tmp_path / "whole"), *words]) == 0
    shutil.copytree(tmp_path / "whole", tmp_path / "run")
    change(tmp_path / "run", LOG, lambda those: [*those[:7], b"\0" * 40 + b"\n", *those[8:]])
    assert main(["learn", "--output", str(tmp_path / "run")]) == 2
    assert main(["doctor", str(tmp_path / "run"), "--salvage"]) == 0
    new = tmp_path / "run-salvaged"
    assert len(read_evaluations(new)) == 7
    assert main(["learn", "--output", str(new)]) == 0
    for name in (LOG, TRAJECTORIES):
        was, now = (
            [{k: v for k, v in json.loads(one).items() if k not in ("time", "crc", "after")}
             for one in lines_of(folder, name)]
            for folder in (tmp_path / "whole", new)
        )  # fmt: skip
        assert now == was
    assert main(["report", str(tmp_path / "run-salvaged-all")]) == 0


def test_a_fitness_that_is_not_that_of_its_trajectory_is_left_out(
    run: Path, capsys: pytest.CaptureFixture
) -> None:
    def better(those: list[bytes]) -> list[bytes]:
        """With checksums as those of a learner."""
        told, crc = [record_of(line, checksums=True)[0] for line in those], 0
        told[2]["fitness"] = 42.0
        for place, line in enumerate(told):
            those[place] = line_of(line, crc)
            crc = zlib.crc32(those[place])
        return those

    change(run, LOG, better)
    assert main(["doctor", str(run)]) == 1
    said = capsys.readouterr().out
    assert f"{run / LOG}: line 3: its fitness 42 is not that of its trajectory, 0.03" in said
    new = salvaged(run)
    assert f"left out: {LOG}: evaluation 3: its fitness 42 " in capsys.readouterr().out
    assert [line["evaluation"] for line in read_measurements(new)] == [1, 2]
    everything = read_measurements(new.with_name("run-salvaged-all"))
    assert all(line["fitness"] < 1 for line in everything)


@pytest.mark.parametrize(
    "words", [["--salvage"], ["RUN", "--output", "new"], ["--robot", "spider9", "--salvage"]]
)
def test_what_salvages_nothing_is_refused(words, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside --robot it was left out without a word."""
    assert main(["doctor", *words]) == 2
    said = capsys.readouterr().err
    assert said == "bea doctor: --salvage is of a run: bea doctor RUN --salvage\n"
