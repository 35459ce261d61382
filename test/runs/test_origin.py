# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a log can be that of the run in whose folder it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bea_ros.__main__ import main
from bea_ros.runs.folder.best import BEST
from bea_ros.runs.folder.head import REQUEST, read_head
from bea_ros.runs.folder.run_folder import LOG, TRAJECTORIES
from bea_ros.system.yaml_files import sealed

SHORT = ["--in-process", "--no-images", "--robot", "babyA", "--duration", "1"]
SHORT += ["--evaluations", "11"]
ANOTHER = "a run of seed 1 with the settings of run.yaml begins with another"


def learn(folder: Path, *words: str) -> Path:
    assert main(["learn", *SHORT, "--output", str(folder), *words]) == 0
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return learn(tmp_path_factory.mktemp("run") / "own")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--seed", "2"], ANOTHER),
        (["--algorithm", "ea"], ANOTHER),
        (["--robot", "gecko7"], "its CPG weights are not those of robot babyA"),
    ],
)
def test_log_trajectories_and_best_of_another_finished_run(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture, words: list[str], reason: str
) -> None:
    other = learn(tmp_path / "other", *words)
    mixed = shutil.copytree(run, tmp_path / "mixed")
    for name in (LOG, TRAJECTORIES, BEST):
        shutil.copy(other / name, mixed / name)
    capsys.readouterr()
    assert main(["doctor", str(other)]) == 0  # each of them is sound
    assert main(["doctor", str(mixed)]) == 1
    assert f"{mixed / LOG}: it is not of this run: {reason}" in capsys.readouterr().out
    assert main(["doctor", str(mixed), "--salvage"]) == 2
    assert reason in capsys.readouterr().err
    assert not (tmp_path / "mixed-salvaged").exists()


def test_runs_whose_first_candidate_is_given_or_that_go_on(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    learn(tmp_path / "warm", "--seed", "2", "--warm-start", str(run))
    longer = shutil.copytree(run, tmp_path / "longer")
    learn(longer, "--evaluations", "13")
    for folder in (tmp_path / "warm", longer):
        assert main(["doctor", str(folder)]) == 0


def test_a_salvaged_run_may_begin_with_another_candidate(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    cut = shutil.copytree(run, tmp_path / "cut")
    (cut / LOG).write_bytes(b"".join((run / LOG).read_bytes().splitlines(keepends=True)[1:]))
    assert main(["doctor", str(cut), "--salvage"]) == 0
    everything = tmp_path / "cut-salvaged-all"
    assert main(["doctor", str(everything)]) == 0
    head = read_head(everything) or {}
    assert "salvaged" in str(head["changes"])
    del head["salvaged"]  # that a change speaks of it, as of a file of this name, does not count
    (everything / REQUEST).write_bytes(sealed(head))
    capsys.readouterr()
    assert main(["doctor", str(everything)]) == 1
    assert ANOTHER in capsys.readouterr().out
