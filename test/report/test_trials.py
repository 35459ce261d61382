# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Trials of best candidates: which run each belongs to, and what one of them cannot say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from browser import Browser

from bea_ros.report.trials import Trial, save_trials, validated
from bea_ros.report.validation import HEADINGS, rows, write_report
from bea_ros.robots import load_robot
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.run_folder import REQUEST
from bea_ros.runs.learned import read_learned
from bea_ros.system.yaml_files import sealed
from bea_ros.tasks import Trajectory


def best_only(folder: Path, **other: str) -> Path:
    """A folder that is enough to try a gait."""
    folder.mkdir(parents=True)
    names = load_robot("gecko7").parameter_names
    asked = {"robot": "gecko7", "generation": "small", "masses": "nominal", "task": "gait",
             "algorithm": "bea", "profile": "default", "duration": 2.0, **other}  # fmt: skip
    best = {"evaluation": 1, "robot": "gecko7", "names": names, "values": [0.1] * len(names)}
    (folder / REQUEST).write_bytes(sealed({"format": 2, "request": asked}))
    (folder / "best.yaml").write_bytes(sealed(best))
    return folder


def test_runs_of_one_name_are_told_apart_and_one_trial_has_no_deviation(tmp_path: Path) -> None:
    runs = [best_only(tmp_path / place) for place in ("sim/first", "real/first", "other")]
    t = np.linspace(0.0, 2.0, 5)
    path = Trajectory(t, 0.05 * t, 0.0 * t, 0.0 * t)
    trials = [Trial(run, 1, 0.05, path, 2.0, 1) for run in runs]
    save_trials(tmp_path, [*trials, Trial(runs[0], 2, 0.05, path, 2.0, 1)])
    table = [dict(zip(HEADINGS, row, strict=True)) for row in rows(validated(tmp_path))]
    assert [row["run"] for row in table] == [str(runs[0]), str(runs[1]), "other"]
    assert [row["deviation"] for row in table] == ["0", "", ""]
    request = {n: v for n, v in read_learned(runs[2]).request.items() if n != "algorithm"}
    (runs[2] / REQUEST).write_bytes(sealed({"format": 2, "request": request}))
    with pytest.raises(RunFolderError, match="does not say which algorithm"):
        validated(tmp_path)  # the page has a row of each algorithm


def test_trials_of_different_durations_have_no_mean(tmp_path: Path) -> None:
    """Both robots walk 1 cm/s straight ahead: BEA's for one second, BO's for four."""
    trials = []
    for name, algorithm, duration in (("one", "bea", 1.0), ("two", "bo", 4.0)):
        run = best_only(tmp_path / name, task="directed_locomotion", algorithm=algorithm)
        t = np.linspace(0.0, duration, 5)
        path = Trajectory(t, 0.01 * t, 0.0 * t, 0.0 * t)
        trials.append(Trial(run, 1, 0.01 * duration, path, duration, 1))
    save_trials(tmp_path, trials)
    page = write_report(tmp_path).read_text()
    assert "directed locomotion, 1 s (m)" in page
    assert "directed locomotion, 4 s (m)" in page
    assert "real robots" not in page
    cells = re.findall("<td[^>]*>([^<]*)</td>", page)
    ratios = cells.index("BEA / BO")
    assert cells[ratios + 1 : ratios + 3] == ["-", "-"]


@pytest.mark.graph
def test_a_single_picture_has_letters_like_those_of_several(
    tmp_path: Path, browser: Browser
) -> None:
    t = np.linspace(0.0, 2.0, 5)
    path = Trajectory(t, 0.05 * t, 0.0 * t, 0.0 * t)
    save_trials(tmp_path, [Trial(best_only(tmp_path / "run"), 1, 0.05, path, 2.0, 1)])
    browser.open(write_report(tmp_path).as_uri(), width=1280)
    assert browser.element(".figure svg").size["width"] < 700
    for column in ("run", "robot", "task", "algorithm"):
        cell = browser.element(f"td[data-label={column}]")
        assert cell.value_of_css_property("text-align") in ("left", "start")
    browser.resize(390)
    browser.wait(lambda: not browser.overflow())
    assert browser.element(".figure svg").size["width"] > 300
