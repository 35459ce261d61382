# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A study's readings of the paper, its arithmetic, and runs that are made again."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bea_ros.__main__ import main
from bea_ros.report.pages import page
from bea_ros.studies.engine.arithmetic import (
    AVX2,
    VARIABLES,
    _instructions,
    described,
    pinned,
)
from bea_ros.studies.engine.data import read_settings, write_settings
from bea_ros.studies.engine.plan import options_of
from bea_ros.studies.functions.plan import Plan, Run
from bea_ros.studies.functions.study import FunctionStudy
from bea_ros.system import versions

SMALL = ["--dimension", "4", "--evaluations", "40", "--switch", "20", "--repetitions", "2"]
COMMAND = ["bench", "functions", "--functions", "rastrigin-authors", "--algorithms", "ea", "bea"]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    words = ["--profile", "paper", "--option", "search=fresh", "--option", "mean=data"]
    assert main([*COMMAND, *SMALL, *words, "--jobs", "2", "--output", str(folder)]) == 0
    return folder


def test_readings_are_written_down_and_used_by_those_that_have_them(study):
    settings = json.loads((study / "study.json").read_text())["settings"]
    assert settings["options"] == "mean=data search=fresh"
    about = Plan.of(settings)
    bea, ea = (Run("rastrigin-authors", name, 0, 4, 40, 20, "paper", about.options)
               for name in ("bea", "ea"))  # fmt: skip
    assert (bea.optimizer(float).options["mean"], "mean" in ea.optimizer(float).options) == (
        "data",
        False,
    )


def test_a_folder_of_other_readings_is_refused(study, capsys):
    assert main([*COMMAND, *SMALL, "--profile", "paper", "--output", str(study)]) == 2
    assert "options 'mean=data search=fresh', not ''" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "says"),
    [("mean", "--option mean: name=value is expected"), ("men=zero", "unknown option 'men'")],
)
def test_an_option_that_there_is_not_is_refused(word, says, tmp_path, capsys):
    command = [*COMMAND, *SMALL, "--option", word, "--output", str(tmp_path / "x")]
    assert main(command) == 2
    assert says in capsys.readouterr().err


def test_options_are_words_and_numbers():
    assert options_of("mean=data gamma=5") == {"mean": "data", "gamma": 5}


def test_runs_that_are_made_again_give_the_same_digits_and_a_changed_line_is_seen(study, capsys):
    assert main([*COMMAND[:2], "--again", "3", "--output", str(study), "--jobs", "2"]) == 0
    assert "3 of 3 runs give the same digits" in capsys.readouterr().out
    path = study / "runs.csv"
    kept = path.read_text()
    path.write_text(re.sub(r"(\n[^\n]*),20,", r"\1,21,", kept))  # another switch
    try:
        assert main([*COMMAND[:2], "--again", "4", "--output", str(study), "--jobs", "2"]) == 1
        assert "other switch" in capsys.readouterr().out
    finally:
        path.write_text(kept)


def test_a_selection_is_made_again_and_one_without_runs_is_refused(study, capsys):
    again = [*COMMAND[:2], "--again", "9", "--output", str(study), "--jobs", "2", "--algorithms"]
    assert main([*again, "ea"]) == 0
    said = capsys.readouterr().out
    assert "-ea-" in said
    assert "-bea-" not in said
    assert main([*again, "bo"]) == 2
    assert "has no finished run of these" in capsys.readouterr().err


def test_that_no_run_is_made_again_is_no_success(tmp_path, capsys):
    assert main([*COMMAND[:2], "--again", "0", "--output", str(tmp_path)]) == 2
    assert "--again 0: at least 1 run is needed" in capsys.readouterr().err


def test_data_of_two_versions_say_so(tmp_path):
    for found in ({"numpy": "1", "commit": "a"}, {"numpy": "2", "commit": "b"}, {"numpy": "1"}):
        write_settings(tmp_path, {}, {"python": "3.11.7", **found})
    assert read_settings(tmp_path)[1] == {"python": "3.11.7", "numpy": "1; 2", "commit": "a b"}


def test_a_study_that_writes_into_its_checkout_does_not_change_its_commit(tmp_path, monkeypatch):
    code, data = tmp_path / "bea_ros" / "one.py", tmp_path / "bench" / "runs.csv"
    for path in (code, data):
        path.parent.mkdir()
        path.write_text("1")
    monkeypatch.setattr(versions, "__file__", str(code))
    assert versions.commit_of_checkout() == ""
    git = ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], check=True)
    data.write_text("2")
    commit = versions.commit_of_checkout()
    assert re.fullmatch(r"[0-9a-f]{7,}", commit)
    code.write_text("2")
    assert versions.commit_of_checkout() == f"{commit}-dirty"


def test_the_arithmetic_is_written_down_and_this_process_keeps_its_own(study):
    made_with = json.loads((study / "study.json").read_text())["versions"]["arithmetic"]
    assert made_with.startswith("BLAS ")
    before = [os.environ.get(name) for name in VARIABLES]
    with pinned() as there:
        if before == [None, None] and "Haswell" in there:
            assert os.environ["OPENBLAS_CORETYPE"] == "Haswell"
            assert there == "BLAS Haswell, NumPy up to AVX2"
    assert [os.environ.get(name) for name in VARIABLES] == before
    assert described().startswith("BLAS ")


@pytest.mark.parametrize("name", VARIABLES)
def test_the_rest_is_pinned_where_the_user_has_set_a_part(name, monkeypatch):
    for one in VARIABLES:
        monkeypatch.delenv(one, raising=False)
    monkeypatch.setenv(name, "Nehalem" if "CORE" in name else "AVX512_KNL")
    (other,) = (one for one in VARIABLES if one != name)
    with pinned():
        assert (other in os.environ) is not AVX2.isdisjoint(_instructions())
    assert other not in os.environ


def test_committed_pages_have_todays_look():
    """Who makes one again gets the same page: a change of its look makes all of them again."""
    root = Path(__file__).parents[2]
    words = ["git", "-C", root, "ls-files", "bench/**/report.html"]
    listed = subprocess.run(words, capture_output=True, text=True).stdout.split()
    if not listed:
        pytest.skip("not a checkout of git")
    committed = [root / one for one in listed]
    look = page("", "", "").partition("<style>")[2].partition("</style>")[0]
    assert [str(one) for one in committed if look not in one.read_text()] == []


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("study.json", "--repetitions"),
        ("study.json", "--again"),
        ("runs.csv", "--repetitions"),
        ("runs.csv", "--again"),
        ("curves/rastrigin-authors.csv", "--repetitions"),
    ],
)
def test_damaged_data_are_told_with_their_place(name, more, study, tmp_path, capsys):
    folder = tmp_path / "damaged"
    shutil.copytree(study, folder)
    (folder / name).write_bytes((study / name).read_bytes()[:90])
    words = ["--profile", "paper", "--option", "search=fresh", "--option", "mean=data"]
    command = [*COMMAND, *SMALL, *words, more, "3", "--jobs", "1", "--output", str(folder)]
    assert main(command) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert str(folder) in said
    assert "the study's data are damaged" in said


def test_a_run_without_its_last_values_is_no_shorter_run(study, tmp_path):
    for name in ("runs.csv", "curves/rastrigin-authors.csv"):
        folder = tmp_path / name
        shutil.copytree(study, folder)
        *lines, last = (study / name).read_text().splitlines()
        left = [last.rpartition(",")[0]] if name == "runs.csv" else []
        (folder / name).write_text("\n".join([*lines, *left]) + "\n")
        with pytest.raises(ValueError, match="is not whole"):
            FunctionStudy().load(folder)
