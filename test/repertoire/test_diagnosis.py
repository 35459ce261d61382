# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which joints are said to be broken, if a robot moves so much unlike each simulated one."""

import pytest

from bea_ros.repertoire.diagnosis import EXPLAINED, diagnosed
from bea_ros.robots import load_robot
from bea_ros.robots.damage import Damage, by_joint

ROBOT = load_robot("spider9")
WRONG = 0.03  # m, what a wrong joint leaves
PER_RADIAN = 0.06  # m, what a wrong angle leaves


def error_of(true: str):
    """What a guess leaves of the motion of a robot that is broken so: nothing if it is right."""
    joints = {joint.name: joint for joint in ROBOT.joints}
    real = {name: Damage.of(word, joints[name]) for name, word in by_joint(true).items()}

    def error(guess: str) -> float:
        guessed = {name: Damage.of(word, joints[name]) for name, word in by_joint(guess).items()}
        left = 0.0
        for name in real | guessed:
            one, other = real.get(name, Damage()), guessed.get(name, Damage())
            alike = one.kind == other.kind
            left += min(PER_RADIAN * abs(one.angle - other.angle), WRONG) if alike else WRONG
        return left

    return error


@pytest.mark.parametrize(
    "true", ["leg_11=limp", "leg_20=missing", "leg_11=stuck:0.5", "leg_31=stuck:-0.7"]
)
def test_joint_and_angle_are_found(true):
    error = error_of(true)
    (name, word), *others = by_joint(diagnosed("", error(""), error, ROBOT)).items()
    kind, _, angle = word.partition(":")
    assert not others
    assert (name, kind) == (true.partition("=")[0], true.partition("=")[2].partition(":")[0])
    if angle:
        assert float(angle) == pytest.approx(float(true.partition(":")[2]), abs=0.02)


def test_second_joint_is_found_beside_the_first():
    error = error_of("leg_11=stuck:0.5,leg_20=limp")
    found = diagnosed("leg_20=limp", error("leg_20=limp"), error, ROBOT)
    assert found == "leg_20=limp,leg_11=stuck:0.491"


@pytest.mark.parametrize("believed", ["", "leg_11=limp"])
def test_what_explains_the_motion_is_kept(believed):
    assert diagnosed(believed, EXPLAINED, lambda guess: 0.0, ROBOT) == believed


def test_what_explains_little_more_is_not_believed():
    def error(guess: str) -> float:
        return 0.7 * WRONG if guess == "leg_11=limp" else WRONG

    assert diagnosed("", WRONG, error, ROBOT) == ""
