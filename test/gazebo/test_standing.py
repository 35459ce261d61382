# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""When Gazebo's time stands still, what is said, and when its server is started again."""

from __future__ import annotations

from pathlib import Path

from bea_ros.gazebo.server import NO_ANISOTROPY, OVERRIDE, command, environment
from bea_ros.gazebo.standing import PAUSED, RESTARTED, STARTING, STILL, Standing

SECOND = 1_000_000_000


def after(seconds: float, standing: Standing) -> Standing:
    for _ in range(round(seconds / 0.5)):
        standing.listened(0.5)
    return standing


def test_a_server_that_never_started_is_waited_for() -> None:
    standing = after(1000.0, Standing())
    assert standing.trouble == STARTING
    assert not standing.overdue
    assert not standing.lost


def test_a_server_that_hangs_is_named_within_three_seconds_and_started_again() -> None:
    standing = Standing()
    standing.heard(5 * SECOND)
    assert not after(1.5, standing).trouble
    assert after(1.0, standing).trouble == STILL
    assert not standing.overdue
    assert after(8.0, standing).overdue
    begin = standing.begin
    standing.restarted()
    assert begin > 5 * SECOND
    assert standing.trouble == RESTARTED
    standing.heard(5 * SECOND + 1)  # of the one before
    assert standing.trouble == RESTARTED
    assert not after(20.0, standing).lost
    standing.heard(begin)
    assert not standing.trouble
    assert not standing.lost
    assert after(10.5, standing).overdue


def test_what_another_start_does_not_mend_is_lost_within_40_seconds() -> None:
    standing = Standing()
    standing.heard(SECOND)
    seconds = 0.0
    while not standing.lost:
        after(0.5, standing)
        seconds += 0.5
        if standing.overdue:
            standing.restarted()
    assert seconds < 40.0


def test_a_pause_is_no_hang() -> None:
    standing = Standing()
    standing.heard(SECOND)
    after(3.0, standing).ticked()
    assert after(100.0, standing).trouble == PAUSED
    assert not standing.overdue
    standing.heard(2 * SECOND)
    assert not standing.trouble


def test_a_processor_draws_without_anisotropic_filtering(tmp_path: Path) -> None:
    assert environment({}, tmp_path)[OVERRIDE] == NO_ANISOTROPY
    assert environment({OVERRIDE: "mine"}, tmp_path)[OVERRIDE] == "mine"
    (tmp_path / "renderD128").touch()
    assert OVERRIDE not in environment({}, tmp_path)
    assert environment({"LIBGL_ALWAYS_SOFTWARE": "1"}, tmp_path)[OVERRIDE] == NO_ANISOTROPY


def test_a_server_begins_where_the_one_before_ended() -> None:
    words = command("arena.sdf", True, "ogre2", 12.5)
    assert words[words.index("--initial-sim-time") + 1] == "12.500"
    assert "--initial-sim-time" not in command("arena.sdf", True, "ogre2")
