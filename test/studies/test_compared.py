# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs of one's own side by side."""

import os

import numpy as np
import pandas as pd
import pytest
import yaml
from example_run import record, write_run
from run_maker import make_run
from scipy.stats import mannwhitneyu

from bea_ros.__main__ import main
from bea_ros.runs import load
from bea_ros.studies.compared.groups import Curve, Group, groups_of, read_runs, table_of
from bea_ros.studies.compared.page import table_of_case, write_page
from bea_ros.system.yaml_files import sealed


def make(folder, name, seed, gain, **request):
    return make_run(folder / f"{name}-{seed}", gain=gain, seed=seed, **request)


def test_groups_are_by_what_differs(tmp_path):
    for seed in (1, 2, 3):
        make(tmp_path, "bea", seed, 2.0)
        make(tmp_path, "ea", seed, 1.0, algorithm="ea", options={"population": 10})
        make(tmp_path, "noisy", seed, 1.5, options={"noise": 0.1})
    groups = groups_of(read_runs([tmp_path]))
    assert [group.name for group in groups] == [
        "bea, noise 1e-05",
        "ea",
        "bea, noise 0.1",
    ]
    assert [len(group.curves) for group in groups] == [3, 3, 3]
    assert {group.case for group in groups} == {"spider9, gait"}


def test_only_seeds_differ(tmp_path):
    for seed in (1, 2):
        make(tmp_path, "bea", seed, 1.0)
    (group,) = groups_of(read_runs([tmp_path]))
    assert group.name == "all"


def test_a_switch_after_the_budget_is_none(tmp_path):
    for budget in (12, 15):
        options = {"noise": 1e-5, "switch": budget}
        make_run(tmp_path / f"{budget}", budget, seed=1, options=options)
    make_run(tmp_path / "early", 15, seed=1, options={"noise": 1e-5, "switch": 11})
    groups = groups_of(read_runs([tmp_path]))
    assert [group.name for group in groups] == [
        "evaluations 12, switch never",
        "evaluations 15, switch never",
        "evaluations 15, switch 11",
    ]
    names = [group.name for group in groups_of(read_runs([tmp_path / "12", tmp_path / "15"]))]
    assert names == ["evaluations 12", "evaluations 15"]
    make_run(
        tmp_path / "more",
        15,
        seed=1,
        budgets=[[1, 12], [13, 15]],
        options=options | {"switch": 12},
    )
    groups = groups_of(read_runs([tmp_path / "15", tmp_path / "more"]))
    assert not any("switch" in group.name for group in groups), "it never switched, either"


def test_a_run_that_ends_when_it_is_good_enough_is_no_repetition_of_others(tmp_path):
    make_run(tmp_path / "whole")
    make_run(tmp_path / "ended", 12, enough=0.9)
    assert [len(group.curves) for group in groups_of(read_runs([tmp_path]))] == [1, 1]


def test_cases_are_not_mixed(tmp_path):
    for task in ("gait", "rotating"):
        for algorithm in ("bea", "ea"):
            for seed in (1, 2, 3):
                name = f"{task}-{algorithm}"
                make(tmp_path, name, seed, 1.0, task=task, algorithm=algorithm)
    table = table_of(groups_of(read_runs([tmp_path])))
    assert table["case"].tolist() == ["gait", "gait", "rotating", "rotating"]
    assert table["group"].tolist() == ["bea", "ea", "bea", "ea"]
    assert table["p"].isna().tolist() == [True, False, True, False]


def test_what_differs_between_cases_alone_names_no_group(drawn, tmp_path):
    for seed in (1, 2):
        make(tmp_path, "gait", seed, 1.0, evaluations=12, duration=30.0)
        make(tmp_path, "short", seed, 1.0, evaluations=15, duration=15.0, confirm=2)
    groups = groups_of(read_runs([tmp_path]))
    assert {(group.case, group.name) for group in groups} == {("30 s", "all"), ("15 s", "all")}
    page = write_page(tmp_path / "page.html", groups, table_of(groups)).read_text()
    assert "how likely chance alone" not in page  # there is no second group


def test_a_repertoire_is_called_by_its_prior(tmp_path):
    make(tmp_path, "bo", 1, 1.0, algorithm="bo")
    make(tmp_path, "prior", 1, 1.0, algorithm="bo", prior="default", repertoire="1f")
    names = [group.name for group in groups_of(read_runs([tmp_path]))]
    assert names == ["prior none", "prior default"]
    make(tmp_path, "same", 1, 1.0, algorithm="bo", prior="copied.npz", repertoire="1f")
    assert [group.name for group in groups_of(read_runs([tmp_path]))] == names
    make(tmp_path, "later", 1, 1.0, algorithm="bo", prior="default", repertoire="2f")
    names = [group.name for group in groups_of(read_runs([tmp_path]))]
    assert len(set(names)) == 3
    assert sum(name.startswith("prior default ") for name in names) == 2


def test_robots_arenas_and_configs_are_what_their_files_hold(tmp_path):
    def make_with(name, robot, robot_file, width):
        run = make_run(tmp_path / name, robot=robot)
        head = yaml.safe_load((run / "run.yaml").read_text())
        head["files"] = {
            "robot": {"marker_id": len(name), "sha256": robot_file},
            "arena": {"width": width, "robot_marker": {"id": len(name)}},
        }
        (run / "run.yaml").write_bytes(sealed(head))

    make_with("a", "/a/walker.urdf.xacro", "1f", 4.0)
    make_with("again", "/copied/walker.urdf.xacro:6", "1f", 4.0)
    make_with("moved", "/b/renamed.urdf.xacro", "1f", 4.0)
    make_with("wide", "/a/walker.urdf.xacro", "1f", 8.0)
    make_with("edited", "/a/walker.urdf.xacro", "2f", 4.0)  # that is another robot
    groups = groups_of(read_runs([tmp_path]))
    runs = [[curve.run.folder.name for curve in group.curves] for group in groups]
    assert runs == [["a", "again", "moved"], ["edited"], ["wide"]]
    one, edited, wide = groups
    assert one.case == wide.case != edited.case
    assert one.case.startswith("walker ")
    assert one.name.startswith("arena arena.yaml ")
    assert one.name != wide.name


@pytest.mark.parametrize("counts", [(1, 4), (4, 1), (1, 1)])
def test_one_run_is_no_group_to_test(drawn, tmp_path, counts):
    for algorithm, count in zip(("bea", "ea"), counts, strict=True):
        for seed in range(count):
            make(tmp_path, algorithm, seed, 1.0 + seed, algorithm=algorithm)
    groups = groups_of(read_runs([tmp_path]))
    table = table_of(groups)
    assert table["runs"].tolist() == list(counts)
    assert table[["p", "p_holm"]].isna().all(axis=None)
    page = write_page(tmp_path / "page.html", groups, table).read_text()
    assert "how likely chance alone" not in page
    assert ("Thin lines are single runs" in page) == (max(counts) > 1)
    assert page.count(" to ") == sum(count > 1 for count in counts), "one run has no quartiles"


def test_names_that_are_no_text_are_compared_as_well(drawn, tmp_path):
    odd = make_run(tmp_path / os.fsdecode(b"b\xff"))
    runs = read_runs([odd, make_run(tmp_path / "two", seed=2)])
    groups = groups_of(runs)
    page = write_page(tmp_path / "page.html", groups, table_of(groups)).read_text()
    assert f"{tmp_path}/b?" in page


def test_a_group_has_no_median_until_each_of_its_runs_has_a_value():
    def group(name, *bests):
        time = np.arange(3.0)
        return Group("gait", name, "m/s", [Curve(None, np.array(best), time) for best in bests])

    late, early = [np.nan, np.nan, 5.0], [1.0, 2.0, 3.0]
    table = table_of([group("one", late, early), group("other", [1.0]), group("third", late)])
    assert table["best"].tolist() == [4.0, 1.0, 5.0]
    assert table["then"].isna().tolist() == [True, False, True]


def test_table_has_medians_and_tests(tmp_path):
    gains = {"bea": [2.0, 2.1, 2.2, 2.3], "bo": [1.0, 1.1, 1.2, 1.3], "ea": [2.0, 2.1, 2.2, 2.4]}
    for algorithm, found in gains.items():
        for seed, gain in enumerate(found):
            count = 15 if algorithm == "bo" else 12
            folder = tmp_path / f"{algorithm}-{seed}"
            make_run(folder, count, gain, seed=seed, algorithm=algorithm)
    table = table_of(groups_of(read_runs([tmp_path]))).set_index("group")
    best = {
        name: [load(tmp_path / f"{name}-{s}").evaluations["best"].to_numpy() for s in range(4)]
        for name in gains
    }
    # evaluations differ, so they are a setting; groups are in the order of their names
    assert table.index.tolist() == [
        "bea, evaluations 12",
        "bo, evaluations 15",
        "ea, evaluations 12",
    ]
    assert (table["at"] == 12).all()
    for row, name in zip(table.itertuples(), gains, strict=True):
        assert row.best == np.median([curve[-1] for curve in best[name]])
        assert row.then == np.median([curve[11] for curve in best[name]])
    p = mannwhitneyu([c[11] for c in best["bea"]], [c[11] for c in best["bo"]]).pvalue
    bo = table.loc["bo, evaluations 15"]
    assert bo["p"] == pytest.approx(p)
    assert bo["p_holm"] == pytest.approx(2 * p)


@pytest.mark.parametrize(("took", "told"), [(0.43, "0.4"), (119.0, "119.0"), (150.0, "2.5")])
def test_time_is_told_in_seconds_where_minutes_would_be_none(took, told):
    curve = Curve(None, np.array([1.0, 2.0]), np.array([took / 2, took]))
    headings, (cells,) = table_of_case(table_of([Group("gait", "one", "m/s", [curve])]), "m/s")
    assert (
        dict(zip(headings, cells, strict=True))[f"time ({'min' if took > 120 else 's'})"] == told
    )


def test_page_and_table(drawn, tmp_path, capsys):
    for seed in (1, 2, 3):
        make(tmp_path / "runs", "bea", seed, 2.0)
        make(tmp_path / "runs", "ea", seed, 1.0, algorithm="ea")
    page = tmp_path / "page" / "mine.html"
    assert main(["compare", str(tmp_path / "runs"), "--output", str(page)]) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines()[:-1])) <= 80
    text = page.read_text()
    assert "Comparison: spider9, gait" in text
    assert "6 runs in 2 groups" in text
    assert text.count("<svg") == 2
    assert text.index("<h2>The runs</h2>") < text.index(f"{tmp_path}/runs/bea-1")
    assert "http" not in text.replace("http://www.w3.org", "")  # it needs nothing else
    table = pd.read_csv(page.with_suffix(".csv"))
    assert table["group"].tolist() == ["bea", "ea"]


def test_a_damaged_run_is_left_out_by_name(drawn, tmp_path, capsys):
    for seed in (1, 2):
        make(tmp_path / "runs", "bea", seed, 2.0)
    spoilt = make(tmp_path / "runs", "ea", 1, 1.0, algorithm="ea")
    (spoilt / "run.yaml").write_text("request: [")
    make(tmp_path / "runs", "z\x1b[2J", 1, 1.0).joinpath("run.yaml").write_text("request: [")
    page = tmp_path / "page.html"
    assert main(["compare", str(tmp_path / "runs"), "--output", str(page)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"left out, as it is damaged: {spoilt}/run.yaml")
    assert said[0].endswith(f": bea doctor {spoilt}")
    assert "z?[2J-1" in said[1]
    assert "2 runs in 1 group" in page.read_text()


def test_a_run_in_which_nothing_was_measured_is_left_out_by_name(drawn, tmp_path, capsys):
    for seed in (1, 2):
        make(tmp_path / "runs", "bea", seed, 2.0)
    skipped = record(1) | {"fitness": 0.0, "terms": {}, "given_up": True}
    asked = {"robot": "spider9", "task": "gait"}
    fallen = write_run(tmp_path / "runs" / "fallen", asked, skipped)
    page = tmp_path / "page.html"
    assert main(["compare", str(tmp_path / "runs"), "--output", str(page)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"left out, as no evaluation was measured: {fallen}"
    assert "2 runs in 1 group" in page.read_text()


def test_what_cannot_be_compared_is_refused_in_a_line(tmp_path, capsys):
    run = make_run(tmp_path / "one")
    (tmp_path / "empty").mkdir()
    for words, reason in [
        ([str(run)], "1 run with a measurement: two or more can be compared"),
        ([str(run), str(run)], "1 run with a measurement"),
        ([str(tmp_path / "empty")], "holds no run"),
        ([str(tmp_path / "nowhere")], "is not a folder"),
        ([str(run), "--output", "page"], "it must end with .html"),
    ]:
        assert main(["compare", *words]) == 2
        said = capsys.readouterr().err
        assert reason in said
        assert len(said.splitlines()) == 1
