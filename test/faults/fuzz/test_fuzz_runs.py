# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever stands in the folder of a run: what was written there, or it is refused in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import yaml
from example_run import record, write_run
from fuzzing import almost, count, fuzz, refused_or_good, values
from hypothesis import given
from hypothesis import strategies as st

from bea_ros.__main__ import main
from bea_ros.commands import learn
from bea_ros.report.trials import TRIALS, load_trials
from bea_ros.robots import load_robot
from bea_ros.runs.folder.best import BEST, read_best
from bea_ros.runs.folder.check import check_run
from bea_ros.runs.folder.head import REQUEST, RunFolderError, read_request
from bea_ros.runs.folder.run_folder import (
    LOG,
    TRAJECTORIES,
    read_evaluations,
    read_trajectories,
)
from bea_ros.runs.learned import read_learned
from bea_ros.runs.warm_start import start_candidates


def new_run(path: Path) -> None:
    for name in (LOG, REQUEST, TRAJECTORIES, BEST):
        (path / name).unlink(missing_ok=True)
    write_run(path, {"robot": "spider9", "task": "gait"}, record(1), record(2), best=1)


@fuzz
@given(data=st.data())
def test_run_folders(folder: Path, capsys: pytest.CaptureFixture, data: st.DataObject) -> None:
    """Bytes changed, taken out and put in: what is read is what was written, or it is refused."""
    run = folder / "run"
    run.mkdir(exist_ok=True)
    new_run(run)
    whole = {name: (run / name).read_bytes() for name in (LOG, REQUEST, TRAJECTORIES, BEST)}
    name = data.draw(st.sampled_from([LOG, REQUEST, TRAJECTORIES, BEST]))
    text = whole[name]
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = begin + data.draw(st.integers(0, 40))
        text = text[:begin] + data.draw(st.binary(max_size=8)) + text[end:]
    (run / name).write_bytes(text)
    read: dict[str, Callable[[], Any]] = {
        LOG: lambda: read_evaluations(run),
        REQUEST: lambda: read_request(run),
        TRAJECTORIES: lambda: sorted(read_trajectories(run)),
        BEST: lambda: read_best(run),
    }
    found = refused_or_good("run folders", RunFolderError, read[name])
    if name == LOG and found is not None:
        assert found == [record(1), record(2)][: len(found)]
    elif name == TRAJECTORIES and found is not None:
        assert found == [1, 2][: len(found)]
    elif found is not None:
        (run / name).write_bytes(whole[name])
        assert found == read[name]()
        (run / name).write_bytes(text)
    refused_or_good("runs to check", RunFolderError, lambda: check_run(run))
    capsys.readouterr()


@fuzz
@given(record=values, text=st.binary(max_size=60))
def test_logs_of_format_1_have_no_checksums_to_trust(
    folder: Path, record: Any, text: bytes
) -> None:
    run = folder / "old"
    run.mkdir(exist_ok=True)
    (run / REQUEST).write_text("format: 1\nrequest: {robot: spider9, task: gait}\n")
    (run / LOG).write_bytes(repr(record).encode("utf-8", "replace") + b"\n" + text + b"\n{}\n")
    refused_or_good("logs of format 1", RunFolderError, lambda: read_evaluations(run))


NAMES = load_robot("spider9").parameter_names
REQUESTED = {
    "robot": "spider9", "generation": "small", "masses": "nominal", "profile": "default",
    "task": "gait", "algorithm": "bea", "seed": 1, "evaluations": 4, "duration": 30.0,
}  # fmt: skip
LEARNED = [
    {**record(number), "parameters": dict.fromkeys(NAMES, number / 10), "fitness": number / 100}
    for number in (1, 2, 3, 4)
]
CANDIDATE = {"evaluation": 4, "attempt": 1, "robot": "spider9", "names": NAMES,
             "values": [0.4] * len(NAMES)}  # fmt: skip


def lines_of(records: Any) -> bytes:
    """As JSON, so far as there is any for them."""
    lines = (json.dumps(one, default=str, skipkeys=True) + "\n" for one in records)
    return "".join(lines).encode("utf-8", "replace")


TRIAL = {"run": "runs/one", "repetition": 1, "fitness": 0.1, "poses": [[0.0, 0.0, 0.0, 0.0]] * 2}


def write_unsealed(path: Path, request: Any, records: Any, best: Any) -> Path:
    """A run as somebody may have written or changed it by hand: format 1 has no checksums."""
    path.mkdir(exist_ok=True)
    head = {"format": 1, "request": request}
    (path / REQUEST).write_text(yaml.safe_dump(head, allow_unicode=True), errors="replace")
    (path / LOG).write_bytes(lines_of(records))
    (path / BEST).write_text(yaml.safe_dump(best, allow_unicode=True), errors="replace")
    return path


@fuzz
@given(records=almost(LEARNED))
def test_runs_to_start_from(folder: Path, records: Any) -> None:
    run = write_unsealed(folder / "warm", REQUESTED, records, CANDIDATE)
    start = refused_or_good(
        "warm starts", RunFolderError, lambda: start_candidates(run, NAMES, 1.0, 2)
    )
    assert start is None or (start.shape == (2, len(NAMES)) and np.isfinite(start).all())


@fuzz
@given(request=almost(REQUESTED), best=almost(CANDIDATE))
def test_runs_to_try_again(folder: Path, request: Any, best: Any) -> None:
    """What bea replay and bea validate read of a run."""
    run = write_unsealed(folder / "best", request, LEARNED, best)

    def learned() -> Any:
        found = read_learned(run)
        return found, found.task, found.platform, found.network(found.robot())

    found = refused_or_good("runs to try again", ValueError, learned)
    assert found is None or set(found[0].weights) == set(NAMES)


@fuzz
@given(request=almost({**REQUESTED, "options": {"kappa": 2.0}, "confirm": 2}))
def test_runs_to_go_on_with(folder: Path, request: Any) -> None:
    """What bea learn reads of a run, and makes a graph of."""
    count("runs to go on with")
    run = write_unsealed(folder / "again", request, LEARNED, CANDIDATE)
    with mock.patch.object(learn, "start", return_value=0):
        assert main(["learn", "--output", str(run)]) in (0, 2)


@fuzz
@given(trials=st.lists(almost(TRIAL), max_size=3), text=st.binary(max_size=20))
def test_trials(folder: Path, trials: Any, text: bytes) -> None:
    """What bea validate reads of earlier trials."""
    (folder / TRIALS).write_bytes(lines_of(trials) + text)
    refused_or_good("trials", RunFolderError, lambda: load_trials(folder))
