# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator's benchmark has a line for every robot; how fast they are is not asserted."""

from dataclasses import replace
from functools import partial

from bea_ros.__main__ import main
from bea_ros.bench import simulation as bench_simulation
from bea_ros.robots import robot_names


def test_every_robot_has_a_line(capsys, monkeypatch):
    monkeypatch.setattr(bench_simulation, "GAIT", replace(bench_simulation.GAIT, duration=2.0))
    short = partial(bench_simulation.run, evaluations=10)  # fewer are no budget for BO
    monkeypatch.setattr(bench_simulation, "run", short)
    assert main(["bench", "simulation"]) == 0
    printed = capsys.readouterr().out.splitlines()
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in printed]
    found = {row[0]: row[1:] for row in rows if len(row) == 4}
    assert list(found) == robot_names()
    for factor, speed, change in found.values():
        assert float(factor) > 0
        assert 0 < float(speed) < 0.5
        assert change.endswith("%")
