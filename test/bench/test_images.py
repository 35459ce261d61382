# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Harder images: nothing else is ever taken for the robot, and easy ones are no trouble."""

import numpy as np
import pytest

from bea_ros.bench import images as bench_images
from bea_ros.bench.hard_images import CHANGES, Shot
from bea_ros.bench.localization import Scene


@pytest.mark.long
def test_in_hundreds_of_images_nothing_else_is_taken_for_the_robot():
    steps = list(bench_images.measure(poses=4, seed=11))
    assert len(steps) == 1 + sum(map(len, CHANGES.values()))
    assert 3 * sum(step.images for step in steps) > 400  # searched, tracked, without robot
    assert [step.name for step in steps if step.false] == []
    rates = {(s.name, s.strength): (s.searched / s.images, s.tracked / s.images) for s in steps}
    for easy in (
        ("as they are", 0.0), ("blur", 0.5), ("noise", 5), ("noise", 10), ("darkness", 0.25),
        ("jpeg", 60), ("jpeg", 30), ("another_robot", 0.4), ("another_robot", 0.2),
    ):  # fmt: skip
        assert rates[easy] == (1, 1), easy
    errors = {(step.name, step.strength): step.distances for step in steps}
    assert np.mean(errors["as they are", 0.0]) < 0.006
    assert np.mean(errors["another_robot", 0.2]) < 0.006


def test_each_change_changes_more_the_stronger_it_is():
    scene = Scene(640, 480, seed=2)
    (base, _), *_ = scene.random_poses(1)
    image = scene.picture(base, 0)
    for change, strengths in CHANGES.items():
        done = []
        for strength in (strengths[0], strengths[-1]):
            shot = Shot(image, scene.camera, base @ scene.marker_in_base, np.random.default_rng(1))
            changed = change(shot, strength)
            assert changed.shape == image.shape
            assert changed.dtype == np.uint8
            done.append(np.abs(changed.astype(int) - image).mean())
        assert done[0] > 0
        if change.__name__ != "another_robot":  # whose strength is a distance
            assert done[1] > done[0]


def test_a_find_elsewhere_counts_as_false(capsys, monkeypatch):
    step = bench_images.Step("as they are", 0.0)
    scene = Scene(640, 480, seed=2)
    (base, other), *_ = scene.random_poses(1)
    seen = scene.tracker.update(scene.picture(base, 0), 0.0)
    assert step.add(seen, base) == 1
    elsewhere = other.copy()
    elsewhere[0, 3] += 0.2
    assert step.add(seen, elsewhere) == 0
    assert step.add(None, base) == 0
    assert (step.false, len(step.distances)) == (1, 1)
    step.images = 1
    monkeypatch.setattr(bench_images, "measure", lambda *_: iter([step]))
    assert bench_images.run(poses=1) == 1
    assert "false markers taken for the robot: 1" in capsys.readouterr().out
