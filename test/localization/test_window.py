# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which sightings make a trajectory, and which are no measurement."""

import math
import re
import tracemalloc

import numpy as np
import pytest

from bea_ros.localization.arena import Arena, Marker
from bea_ros.localization.carried import carried
from bea_ros.localization.referee import Referee
from bea_ros.localization.window import Sighting, Trust, Tumbled, Untrusted, window_of
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks import find_task

ARENA = Arena(4.0, 3.0, Marker(0, 0.1), ())


def walk(*, rate=10.0, until=31.0, since=-1.0, speed=0.05, skip=(), **changes):
    """Sightings of a robot that walks along x at constant speed, passing 0 at time 0."""
    steps = np.arange(round(since * rate), round(until * rate) + 1)
    sightings = []
    for step in steps:
        t = step / rate
        if not any(low < t < high for low, high in skip):
            values = {"x": speed * t, "y": 0.0, "yaw": 0.0, "tilt": 0.0}
            values |= {name: change(t) for name, change in changes.items()}
            sightings.append(Sighting(stamp=7 * SECOND + round(t * SECOND), **values))
    return sightings


def judge(sightings, duration=30.0):
    """The trajectory of a robot that nobody suspects of having been carried."""
    window = window_of(sightings, 7 * SECOND, duration, ARENA, Trust())
    assert window.suspicion == ""
    return window.trajectory


def suspicion(sightings):
    return window_of(sightings, 7 * SECOND, 30.0, ARENA, Trust()).suspicion


def test_window_is_cut_out_exactly():
    trajectory = judge(walk())
    assert trajectory.t[0] == 0.0
    assert trajectory.t[-1] == 30.0
    assert trajectory.x[-1] - trajectory.x[0] == pytest.approx(1.5)
    assert len(trajectory.t) == 301


def test_ends_between_frames_are_interpolated():
    trajectory = judge(walk(rate=0.7 * 10, skip=()), duration=29.99)
    assert trajectory.t[-1] == pytest.approx(29.99)
    assert trajectory.x[0] == pytest.approx(0.0, abs=1e-12)
    assert trajectory.x[-1] == pytest.approx(0.05 * 29.99)


def test_yaw_is_interpolated_across_the_wrap():
    def spin(t):
        return (1.0 * t + 3.0 + math.pi) % (2 * math.pi) - math.pi

    trajectory = judge(walk(rate=7, yaw=spin), duration=29.9)
    assert trajectory.yaw[-1] - trajectory.yaw[0] == pytest.approx(29.9)


def test_short_dropouts_are_bridged_long_ones_are_not():
    assert judge(walk(skip=[(10, 10.95)])).x[-1] == pytest.approx(1.5)
    with pytest.raises(Tumbled, match=r"not seen for 3\.0 s, 10\.0 s after the start"):
        judge(walk(skip=[(10, 13)]))


def test_a_turn_that_nobody_saw_is_not_guessed():
    """After 1.8 s at 1.9 rad/s it was taken for a turn the other way."""
    spinning = walk(speed=0.0, yaw=lambda t: math.remainder(1.9 * t, math.tau), skip=[(5, 6.8)])
    referee = Referee({"dropout": 3.0}, ARENA)
    with pytest.raises(Tumbled, match=r"not seen for 1\.8 s, 5\.0 s after the start"):
        referee.measure(find_task("rotating"), spinning, 7 * SECOND, 15.0)
    assert referee.measure(find_task("gait"), spinning, 7 * SECOND, 15.0)[0].value == 0.0


def test_unseen_ends():
    with pytest.raises(Untrusted, match="at the start") as unseen:
        judge(walk(since=0.1))
    assert not isinstance(unseen.value, Tumbled)
    with pytest.raises(Tumbled, match="at the end"):
        judge(walk(until=29.9))


def test_a_robot_that_leaves_the_arena_is_measured_until_then():
    trajectory = judge(walk(speed=0.1))
    assert trajectory.t[-1] == pytest.approx(18.6)
    assert trajectory.x[-1] == pytest.approx(1.86)
    fast = judge(walk(speed=0.2))  # from the middle, no robot has further to go
    assert (fast.t[-1], fast.x[-1]) == (pytest.approx(9.3), pytest.approx(1.86))


def test_a_robot_that_began_near_the_edge_is_measured_if_it_stayed_for_half_of_the_time():
    def near(speed):
        return walk(x=lambda t: 1.4 + speed * t)

    assert judge(near(0.03)).t[-1] == pytest.approx(15.1)
    with pytest.raises(Untrusted, match=r"the arena's edge after 9\.1 s and 0\.46 m"):
        judge(near(0.05))


def test_falling_over():
    with pytest.raises(Tumbled, match=r"fell over 12\.1 s .* 172 degrees"):
        judge(walk(tilt=lambda t: 3.0 if t > 12.05 else 0.1))


def test_a_robot_that_lies_on_its_side_from_the_start_is_not_to_blame():
    with pytest.raises(Untrusted, match="lay on its side at the start") as lies:
        judge(walk(tilt=lambda t: 1.5))
    assert not isinstance(lies.value, Tumbled)


def test_a_robot_that_falls_over_and_so_turns_round_was_not_carried():
    def fallen(t):
        return t > 12.05

    with pytest.raises(Tumbled, match=r"fell over 12\.1 s"):
        judge(walk(tilt=lambda t: 3.0 * fallen(t), yaw=lambda t: 3.0 * fallen(t)))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"x": lambda t: 0.0 if t < 10 else 0.5}, r"moved 0.50 m in 0.80 s, 9.6 s after"),
        ({"y": lambda t: 0.0 if t < 10 else -0.4}, r"it was carried"),
        ({"yaw": lambda t: 3.0 if t < 10 else -0.5}, r"turned by 159 degrees"),
    ],
)
def test_a_robot_that_is_elsewhere_when_it_is_seen_again_was_carried(changes, words):
    hidden = (9.65, 10.35)
    assert len(judge(walk(skip=[hidden])).t) == 294
    with pytest.raises(Untrusted, match=words) as carried:
        judge(walk(skip=[hidden], **changes))
    assert not isinstance(carried.value, Tumbled)


def test_a_hand_is_slower_than_a_jump_and_faster_than_the_robot():
    def carried(t):
        return 0.6 * min(max(t - 10, 0), 1)  # by 2 cm from image to image

    with pytest.raises(Untrusted, match=r"moved 0\.46 m in 1\.00 s, 9\.8 s .* it was carried"):
        judge(walk(rate=30, x=carried))


def test_a_robot_carried_out_of_the_arena_did_not_walk_there():
    def carried(t):
        return 0.35 * max(t - 1, 0)

    with pytest.raises(Untrusted, match=r"the arena's edge after 6\.3 s and 1\.85 m"):
        judge(walk(rate=30, x=carried))


def test_in_an_arena_that_is_all_edge_nothing_is_measured():
    tiny = Arena(0.3, 0.3, Marker(0, 0.1), ())
    with pytest.raises(Untrusted, match=r"the arena's edge after 0\.1 s"):
        window_of(walk(), 7 * SECOND, 30.0, tiny, Trust())


def test_a_robot_that_rocks_and_turns_is_not_carried():
    judge(walk(rate=4.0, x=lambda t: 0.08 * math.cos(9 * t), yaw=lambda t: 0.4 * math.sin(6 * t)))


def gait(*, rate=4.0, faster=1.0, **changes):
    """A gait that turns, rocks to and fro by some centimetres, and up and down."""

    def moved(t, ahead, aside):
        forward, side = 0.05 * t + 0.03 * math.sin(2.3 * t), 0.02 * math.sin(4.6 * t)
        return faster * (ahead * forward + aside * side)

    usual = {
        "x": lambda t: moved(t, 1, 0), "y": lambda t: moved(t, 0, 1),
        "yaw": lambda t: 0.2 * math.sin(2.3 * t), "z": lambda t: 0.03 + 0.01 * math.sin(4.6 * t),
    }  # fmt: skip
    return walk(rate=rate, **(usual | changes))


@pytest.mark.parametrize("rate", [4.0, 30.0])
@pytest.mark.parametrize(("distance", "takes"), [(0.1, 0.3), (0.15, 1.0), (0.2, 2.0)])
def test_a_hand_moves_it_as_at_no_other_time(rate, distance, takes):
    def carried(t):
        return 0.05 * t + 0.03 * math.sin(2.3 * t) - distance * min(max(t - 12, 0) / takes, 1)

    judge(gait(rate=rate))
    judge(gait(rate=rate, faster=2.0))
    found = suspicion(gait(rate=rate, x=carried))
    assert re.search(r"at any other time, 1[0-3].* it was carried", found)


def test_an_evaluation_of_ten_minutes_needs_little_memory():
    seen = [
        Sighting(n * SECOND // 4, 0.3 * math.sin(n / 40), 0.2 * math.sin(n / 20), 0.0, 0.05, 0.04)
        for n in range(2400)
    ]
    tracemalloc.start()
    assert carried(seen) is None
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 50e6


def test_a_robot_that_is_lifted_and_put_down_nearby_was_carried():
    def lifted(t):
        return 0.03 + 0.01 * math.sin(4.6 * t) + 0.06 * (12 < t < 13)

    found = suspicion(gait(z=lifted))
    assert re.search(r"0\.0[56] m higher than at any other time, 12", found)
    unknown = gait(z=lambda t: math.nan)
    assert judge(unknown).t[-1] == 30.0


def test_a_robot_that_rears_up_once_was_not_carried():
    """As one of the study's gaits does, by 4.5 cm and 33 degrees."""

    def reared(t):
        return 0.57 * math.exp(-(((t - 20.5) / 0.3) ** 2))

    usual = gait()
    height = {"z": lambda t: 0.035 + 0.01 * math.sin(4.6 * t) + 0.13 * math.sin(reared(t))}
    assert "higher than at any other time" in suspicion(gait(**height))
    assert judge(gait(**height, tilt=reared)).t[-1] == judge(usual).t[-1]
