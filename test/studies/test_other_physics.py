# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Best controllers under other physics."""

from dataclasses import replace

import numpy as np
import pytest

from bea_ros.runs.learned import read_learned
from bea_ros.simulation.physics import RANGES, Physics, draw_physics
from bea_ros.studies import other_physics
from bea_ros.studies.engine.data import read_table
from bea_ros.studies.other_physics import Survival, survive


def test_physics_are_drawn_within_their_ranges_and_by_the_seed():
    worlds = draw_physics(200, seed=3)
    for name, (low, high) in RANGES.items():
        drawn = np.array([getattr(world, name) for world in worlds])
        assert low <= drawn.min() < low + 0.1 * (high - low)
        assert high >= drawn.max() > high - 0.1 * (high - low)
    assert draw_physics(200, seed=3) == worlds
    assert draw_physics(200, seed=4) != worlds


def test_a_world_that_is_the_same_gives_the_same_fitness_and_ice_another(make_run):
    run = read_learned(make_run("spider9", seed=5))
    same = survive(run, [Physics(), Physics(friction=0.02)], duration=3.0)
    assert same.others[0] == same.usual
    assert same.others[1] != pytest.approx(same.usual, rel=0.05)


def test_a_broken_robot_stays_broken(make_run):
    run = read_learned(make_run("spider9", seed=5))
    broken = replace(run, request={**run.request, "damage": "leg_00=missing"})
    whole, other = (survive(one, [], 3.0).usual for one in (run, broken))
    assert other != pytest.approx(whole, rel=0.05)


def test_what_survives_keeps_half_its_fitness():
    survival = Survival(None, 1.0, np.array([0.6, 0.4, np.nan, 2.0]))
    assert survival.share == 0.5
    assert np.isnan(Survival(None, -1.0, np.array([-0.5])).share)
    assert survival.median == pytest.approx(0.5)
    assert np.isnan(Survival(None, 1.0, np.array([np.nan, np.nan, 0.3])).median)


def test_table_has_a_line_per_controller_and_world(make_run, tmp_path, capsys):
    folders = [tmp_path / where / "run" for where in ("one", "other")]
    for seed, folder in enumerate(folders, 1):
        folder.parent.mkdir()
        make_run(seed=seed).rename(folder)
    runs = [read_learned(folder) for folder in folders]
    output = tmp_path / "out"
    assert other_physics.run(runs, 3, 1, 2.0, output) == 0
    table = read_table(output / "other_physics.csv")
    friction = table["friction"].tolist()
    assert len(friction) == 6
    assert friction[:3] == friction[3:]
    assert table["run"].tolist() == [str(folder) for folder in folders for _ in range(3)]
    printed = capsys.readouterr().out
    assert "keep 50%" in printed
    assert printed.count("other worlds") == len(runs)  # the progress of each
    for count in (0, 10**9):
        with pytest.raises(ValueError, match="allowed is 1 to 10000 worlds"):
            other_physics.run(runs, count, 1, 2.0, tmp_path)
