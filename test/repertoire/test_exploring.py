# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Exploring: the same whatever the workers, after a crash, and for another robot."""

import multiprocessing
import os
import re
import shutil
import signal
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graph import wait_for

from bea_ros.__main__ import main
from bea_ros.repertoire import RepertoireError, load, page
from bea_ros.repertoire.plan import Plan
from bea_ros.robots import load_robot

pytest.importorskip("ribs", reason="pip install ribs")
from bea_ros.repertoire import exploring, search
from bea_ros.repertoire.exploring import FILE, KEPT, SEARCHED, explore

SMALL = Plan("gecko7", duration=1.5, batch=12, kept_duration=3.0, kept_draws=2)
EVALUATIONS = 72  # the first, and two batches
FIRST = EVALUATIONS - 2 * SMALL.batch
INTERRUPTED = f"""
from bea_ros.repertoire import exploring, search
exploring.FIRST = search.FIRST = {FIRST}
exploring.explore(plan, folder, {EVALUATIONS}, jobs)
"""


@pytest.fixture(autouse=True, scope="module")
def few_begin():
    """A search begins with half as many random candidates."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (exploring, search):
            patch.setattr(module, "FIRST", FIRST)
        yield


@pytest.fixture(scope="module")
def explored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explored")
    return folder, explore(SMALL, folder, EVALUATIONS, jobs=1)


def test_a_repertoire_has_different_ways_to_move_under_all_draws(explored):
    _, found = explored
    assert len(found) > 30
    assert found.paths.shape == (len(found), 2, 3, 3)
    assert len(set(found.physics)) == 2
    assert np.abs(found.paths[:, :, 0]).max() < 1e-9
    found.check(load_robot("gecko7"), "small", 1.5)


def test_the_workers_do_not_matter_and_what_was_tried_is_not_tried_again(explored, tmp_path):
    folder, found = explored
    half = explore(SMALL, tmp_path, 48, jobs=2)
    assert not np.array_equal(half.candidates, found.candidates)
    whole = (folder / SEARCHED).read_bytes()
    begun = (tmp_path / SEARCHED).read_bytes()
    assert whole.startswith(begun)
    with (tmp_path / SEARCHED).open("ab") as file:  # as a crash leaves it
        file.write(whole[len(begun) : len(begun) + len(begun) // 7])
    explore(SMALL, tmp_path, EVALUATIONS, jobs=2)
    assert (tmp_path / SEARCHED).read_bytes() == whole
    assert (tmp_path / FILE).read_bytes() == (folder / FILE).read_bytes()


def test_the_workers_of_a_dask_cluster_find_the_same(explored, tmp_path):
    distributed = pytest.importorskip("distributed", reason="distributed (Dask) is not installed")
    with distributed.LocalCluster(  # test/studies/test_robot_runs.py has a worker of its own
        n_workers=1, threads_per_worker=2, dashboard_address=None, processes=False
    ) as cluster:
        explore(SMALL, tmp_path, EVALUATIONS, scheduler=cluster.scheduler_address)
        assert cluster.scheduler.transition_counter > 0  # else they were tried here
    assert (tmp_path / FILE).read_bytes() == (explored[0] / FILE).read_bytes()


def test_an_exploration_that_was_ended_goes_on(explored, tmp_path):
    folder, _ = explored
    searched = tmp_path / SEARCHED
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload([exploring.__name__])  # imported once for both
    for jobs, end in ((1, signal.SIGKILL), (2, signal.SIGINT)):
        had = searched.stat().st_size if searched.exists() else 0
        names = {"plan": SMALL, "folder": tmp_path, "jobs": jobs}
        process = processes.Process(target=exec, args=(INTERRUPTED, names))
        process.start()
        wait_for(
            lambda had=had, p=process: (
                (searched.exists() and searched.stat().st_size > had) or not p.is_alive()
            )
        )
        with suppress(ProcessLookupError):
            os.kill(process.pid, end)
        process.join()
    explore(SMALL, tmp_path, EVALUATIONS, jobs=1)
    assert (tmp_path / FILE).read_bytes() == (folder / FILE).read_bytes()


@pytest.mark.parametrize("name", [SEARCHED, KEPT])
def test_what_was_damaged_is_tried_again(explored, tmp_path, name, capsys):
    folder, _ = explored
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    data = bytearray((folder / name).read_bytes())
    data[len(data) * 9 // 10] ^= 0x40
    (tmp_path / name).write_bytes(data)
    explore(SMALL, tmp_path, EVALUATIONS, jobs=1)
    assert f"{name}: record " in capsys.readouterr().out
    for file in (name, FILE):
        assert (tmp_path / file).read_bytes() == (folder / file).read_bytes()


def test_a_folder_of_another_exploration_is_refused(explored):
    folder, _ = explored
    with pytest.raises(RepertoireError, match="with seed 1, not 2: choose another"):
        explore(replace(SMALL, seed=2), folder, EVALUATIONS)


def test_data_without_their_plan_are_of_nobody_knows_what(explored, tmp_path):
    folder, _ = explored
    shutil.copy(folder / SEARCHED, tmp_path)
    with pytest.raises(RepertoireError, match=rf"no plan.json: {SEARCHED} may be of other"):
        explore(replace(SMALL, weight_range=2.0), tmp_path, EVALUATIONS)
    assert not (tmp_path / FILE).exists()


def test_a_robot_of_ones_own_is_explored_by_its_file_until_that_is_changed(own_robot, tmp_path):
    plan, file = replace(SMALL, robot=own_robot, masses="measured"), Path(own_robot)
    found = explore(plan, tmp_path, 16, jobs=1)
    assert found.robot == load_robot(own_robot).name
    assert load(tmp_path / FILE).robot == found.robot
    typed = f"bea explore --robot {own_robot} --seed 1 --evaluations 16 --masses measured"
    assert found.made["command"] == typed
    known = (tmp_path / SEARCHED).read_bytes()
    other = {"left": "right", "right": "left"}  # its legs change sides
    file.write_text(
        re.sub('slot="(left|right)"', lambda m: f'slot="{other[m[1]]}"', file.read_text())
    )
    with pytest.raises(RepertoireError, match="before its file was changed, or by"):
        explore(plan, tmp_path, 16, jobs=1)
    assert (tmp_path / SEARCHED).read_bytes() == known


def test_the_page_shows_where_they_get(explored):
    folder, found = explored
    text = page.write(folder, found).read_text()
    assert f"Repertoire of {found.robot}" in text
    assert text.count("<svg") == 4


def test_options_that_cannot_be_are_told_in_a_line(tmp_path, capsys):
    for option in (
        "--evaluations=0",
        "--jobs=0",
        "--robot=spider",
        "--weight-range=0",
        "--seed=-1",
    ):
        assert main(["explore", option, "--output", str(tmp_path / "out")]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert not (tmp_path / "out").exists()
