# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The world that becomes like the robot's: physics, broken joints, and what is kept of it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from bea_ros.localization.arena import load_arena
from bea_ros.repertoire import learned_world, load, path_of
from bea_ros.repertoire.diagnosis import in_words
from bea_ros.repertoire.learned_world import LearnedWorld
from bea_ros.repertoire.ranking import prior_for
from bea_ros.robots import load_robot
from bea_ros.robots.damage import by_joint, damages_of
from bea_ros.robots.motion import CommandedMotion
from bea_ros.simulation.evaluation import Evaluator
from bea_ros.simulation.observed import PoseNoise
from bea_ros.simulation.physics import Physics
from bea_ros.tasks import find_task

DURATION = 5.0
SHORT = 3.0  # where it does not matter how well it learns
TASK = find_task("gait")
WEAK = Physics(friction=0.6, torque_scale=0.6, mass_scale=1.7)


class Trials:
    """A robot in a world of its own, seen by the camera, and a learned world beside it."""

    def __init__(self, name, physics=None, broken="", memory=None, duration=DURATION):
        self.robot, self.duration = load_robot(name), duration
        self.real = Evaluator(
            self.robot,
            TASK,
            duration,
            physics=physics,
            damages=damages_of(by_joint(broken), self.robot),
            noise=PoseNoise(),
        )
        self.motions, self.said, self.simulations = {}, [], 0
        self.tried, self.fitness = [], []
        self.world = LearnedWorld(
            self.robot,
            TASK,
            duration,
            CommandedMotion(self.robot, duration),
            self.motions,
            memory=memory,
            breathe=self.count,
            tell=self.said.append,
        )

    def count(self):
        self.simulations += 1

    def measure(self, x):
        self.motions[len(self.tried) + 1] = trajectory = self.real.trajectory(x)
        self.tried.append(x)
        self.fitness.append(TASK.evaluate(trajectory, self.duration).value)

    def search(self):
        tried = np.array(self.tried)
        return self.world.search(tried, np.array(self.fitness), tried[-1:])


def candidates(name, count):
    return np.random.default_rng(5).random((count, len(load_robot(name).parameter_names)))


@pytest.fixture(autouse=True)
def few_simulations(monkeypatch):
    """Searches that are enough for what is checked."""
    monkeypatch.setattr(learned_world, "BUDGET", 2)
    monkeypatch.setattr(learned_world, "KEPT", 1)


def test_its_evaluations_end_at_the_arenas_edge_as_the_robots_do():
    """The robot walks out of the arena; what is measured until then counts."""
    robot, duration = load_robot("spider9"), 12.0
    usual = load_arena(robot)
    arena = replace(usual, width=usual.width / 3, depth=usual.depth / 3)
    known = prior_for(
        load(path_of("default", "spider9", "small", "spider9")), TASK, duration, usual
    )
    x = known.candidates[np.argmax(known.expected)]
    real = Evaluator(robot, TASK, duration, arena=arena).fitness_or_none(x)
    assert Evaluator(robot, TASK, duration).fitness_or_none(x) > 1.1 * real
    motion = CommandedMotion(robot, duration)
    world = LearnedWorld(robot, TASK, duration, motion, {}, arena=arena)
    found = world.search(x[None, :], np.array([real]), x[None, :])  # in the usual physics
    assert found.again == pytest.approx([real], rel=1e-6)


@pytest.mark.long
def test_its_fitness_becomes_the_robots():
    trials, errors = Trials("gecko7", WEAK), []
    usual = Evaluator(trials.robot, TASK, DURATION)
    before = []
    for x in candidates("gecko7", 4):
        trials.measure(x)
        before.append(usual.fitness_or_none(x) - trials.fitness[-1])
        errors.append(trials.search().again[-1] - trials.fitness[-1])
    assert np.abs(errors[2:]).mean() < 0.5 * np.abs(before[2:]).mean()
    assert trials.said == []  # other physics is no broken joint


@pytest.mark.long
@pytest.mark.parametrize("broken", ["leg_01=limp", "body_0=stuck:0.500", "leg_11=missing"])
def test_it_finds_the_broken_joint_after_an_evaluation(broken):
    trials = Trials("gecko7", broken=broken)
    trials.measure(candidates("gecko7", 1)[0])
    trials.search()
    assert trials.said == [f"it moves as if {in_words(broken)}"]


@pytest.mark.long
def test_it_finds_a_second_broken_joint():
    trials = Trials("gecko7", broken="leg_01=limp,body_0=stuck")
    for x in candidates("gecko7", 2):
        trials.measure(x)
        trials.search()
    assert {"leg_01", "body_0"} <= set(trials.said[-1].split())


def test_what_it_finds_is_new_and_ranked():
    trials = Trials("gecko7", duration=SHORT)
    for x in candidates("gecko7", 2):
        trials.measure(x)
        found = trials.search()
    assert (np.diff(found.fitness) <= 0).all()
    assert not any((x == trials.tried).all(1).any() for x in found.candidates)


def test_a_fall_teaches_nothing_of_the_world():
    trials = Trials("gecko7", duration=SHORT)
    first, second = candidates("gecko7", 2)
    trials.measure(first)
    trials.search()
    before = trials.world._searched[1]["identified"]
    trials.measure(second)
    del trials.motions[2]
    trials.search()
    assert trials.world._searched[2]["identified"] == before


def test_evaluations_too_short_to_be_compared_teach_nothing_of_the_world():
    trials = Trials("gecko7", duration=0.9)
    trials.measure(candidates("gecko7", 1)[0])
    trials.search()
    assert trials.simulations == 4  # of the candidate again, and of the search's


@pytest.mark.long
def test_searches_are_kept_and_what_is_lost_is_found_again(tmp_path):
    memory = tmp_path / "learned_world.jsonl"
    whole = Trials("gecko7", memory=memory, duration=SHORT)
    for x in candidates("gecko7", 2):
        whole.measure(x)
        found = whole.search()
    first, second = memory.read_text().split("\n")[1:]
    wrong = {**json.loads(second), "candidates": [[2.0]]}
    kept = f"{first}\n{second}"
    digit = second.index(".", second.index('"candidates"')) + 1
    other = f"{second[:digit]}{9 - int(second[digit])}{second[digit + 1 :]}"
    lost = (f"{first}\n{second[:40]}", f"{first}\n{json.dumps(wrong)}\n7", f"{first}\n{other}", "")
    for left in (kept, *lost):
        memory.write_text(left)
        again = Trials("gecko7", memory=memory, duration=SHORT)
        for x in candidates("gecko7", 2):
            again.measure(x)
            found_again = again.search()
        assert (again.simulations == 0) == (left == kept)
        assert again.simulations < whole.simulations or not left
        for name in ("again", "candidates", "fitness"):
            assert np.array_equal(getattr(found, name), getattr(found_again, name))


def test_searches_of_other_motions_are_not_taken(tmp_path):
    memory = tmp_path / "learned_world.jsonl"
    for physics in (Physics(mass_scale=1.1), Physics()):
        trials = Trials("gecko7", physics, memory=memory, duration=SHORT)
        trials.measure(candidates("gecko7", 1)[0])
        trials.search()
        assert trials.simulations > 0


def test_a_file_that_cannot_be_written_stops_nothing(tmp_path):
    memory = tmp_path / "gone" / "learned_world.jsonl"
    trials = Trials("gecko7", memory=memory, duration=SHORT)
    trials.measure(candidates("gecko7", 1)[0])
    assert len(trials.search().candidates)
    assert not memory.parent.exists()
