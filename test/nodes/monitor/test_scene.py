# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What rviz and Foxglove show of arena, robot and learner."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bea_ros_interfaces.msg import LearnerStatus
from std_msgs.msg import Header
from visualization_msgs.msg import Marker

from bea_ros.localization.arena import Arena, load_arena
from bea_ros.localization.markers.aruco import make_detector
from bea_ros.nodes.monitor import (
    LETTERS,
    LINES,
    arena_markers,
    robot_marker,
    status_lines,
    text_marker,
)
from bea_ros.robots import load_robot, robot_names

PIXELS = 1000  # per m


def seen_from_above(ink: Marker, side: float) -> np.ndarray:
    """The marker as a camera above it sees it, x right and y up."""
    picture = np.full((round(side * PIXELS),) * 2, 230, np.uint8)
    half = ink.scale.x / 2
    for point in ink.points:
        left, right = (round((point.x + d + side / 2) * PIXELS) for d in (-half, half))
        top, bottom = (round((side / 2 - point.y + d) * PIXELS) for d in (-half, half))
        picture[top:bottom, left:right] = 0
    return picture


@pytest.mark.parametrize("name", robot_names())
def test_every_marker_is_drawn_as_it_is_printed(name: str) -> None:
    robot = load_robot(name)
    arena = load_arena(robot)
    detect = make_detector(arena.dictionary)
    outline, *sheets = arena_markers(arena)
    assert {(p.x, p.y) for p in outline.points} == {
        (x * arena.width / 2, y * arena.depth / 2) for x in (-1, 1) for y in (-1, 1)
    }
    assert outline.points[0] == outline.points[-1]
    inks = [part for part in sheets if part.type == Marker.CUBE_LIST]
    papers = [part for part in sheets if part.type == Marker.CUBE]
    for ink, paper, marker in zip(inks, papers, arena.floor_markers, strict=True):
        assert ink.pose == paper.pose
        assert (ink.pose.position.x, ink.pose.position.y) == (marker.x, marker.y)
        assert ink.pose.orientation.z == math.sin(marker.yaw / 2)
        assert paper.scale.x > marker.size
        assert {ink.header.frame_id, paper.header.frame_id} == {"map"}
    own = robot_marker(arena)
    assert (own.header.frame_id, own.frame_locked) == ("marker", True)
    for ink, marker in zip([*inks, own], [*arena.floor_markers, arena.robot_marker], strict=True):
        _, ids = detect(seen_from_above(ink, 2 * marker.size))
        assert np.ravel(ids).tolist() == [marker.id]


def status(**values: object) -> LearnerStatus:
    given = {"robot": "spider9", "task": "gait", "state": "waiting", "budget": 150}
    return LearnerStatus(**{"best_fitness": math.nan, **given, **values})


def test_the_text_says_how_far_the_learner_is() -> None:
    assert status_lines(status()) == ["spider9  gait", "waiting  0/150"]
    learning = {"stage": "bayesian", "evaluation": 12, "best_fitness": 0.01904}
    assert status_lines(status(**learning))[1] == "bayesian  12/150  best 0.0190 m/s"
    for state in ("paused", "waiting", "stopped"):
        lines = status_lines(status(state=state, message="no image for 5 s", **learning))
        assert lines[2] == f"{state}: no image for 5 s"
    assert status_lines(status(state="finished", **learning))[2] == "finished"


def test_a_long_text_stays_within_the_view() -> None:
    reason = "evaluation 3 cannot begin: the robot is 0.30 m from the arena's edge: put it back"
    lines = status_lines(status(state="paused", message=reason))
    assert " ".join(lines[2:]) == f"paused: {reason}"
    lines = status_lines(status(state="paused", message=30 * reason))
    assert len(lines) == LINES
    assert lines[-1].endswith("...")
    assert max(map(len, lines)) <= LETTERS


@pytest.fixture
def arena() -> Arena:
    return load_arena(load_robot("spider9"))


def test_the_text_lies_beyond_the_arena(arena: Arena) -> None:
    """Its middle is its place: the more lines, the further away."""
    short, long = (
        text_marker(arena, status(state="paused", message=n * "no image ")) for n in (1, 30)
    )
    assert arena.depth / 2 < short.pose.position.y < long.pose.position.y
    assert short.scale.x == short.scale.z / 2
    assert short.header == Header(frame_id="map")
    assert short.color != text_marker(arena, status(state="learning")).color
