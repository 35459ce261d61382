# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A marker that something covers in part moves no robot."""

import math

import cv2
import numpy as np
import pytest


def covered(image, corners, rng):
    """The image with something grey over one edge of the marker, or over a part of the edge."""
    edge = rng.integers(4)
    one, other = corners[edge], corners[(edge + 1) % 4]
    inwards = corners[edge - 1] - one
    along = (other - one) * rng.uniform(0.2, 1.3)
    begin, depth = one - 0.3 * (other - one), rng.uniform(0.03, 0.35) * inwards
    sides = (
        (begin, -0.6 * inwards),
        (one + along, -0.6 * inwards),
        (one + along, depth),
        (begin, depth),
    )
    points = np.round(np.array([at + off for at, off in sides]) * 16).astype(np.int32)
    grey = int(rng.choice([0, 40, 90, 140, 200, 250]))
    return cv2.fillConvexPoly(image.copy(), points, grey, cv2.LINE_AA, 4)


@pytest.mark.long
def test_a_robot_whose_marker_is_covered_in_part_is_not_seen_elsewhere(scene, random_bases):
    """What is left of the marker may look like one that is tilted; few covers do."""
    rng, shifts = np.random.default_rng(1), []
    for index, base in enumerate(random_bases(30, 7)):
        tracker, image = scene.tracker(), scene.picture(base, index)
        truth = tracker.update(image, 0.0)
        for _ in range(20):
            tracker.last = truth
            seen = tracker.update(covered(image, truth.corners, rng), 0.1)
            shifts.append(math.hypot(seen.x - truth.x, seen.y - truth.y) if seen else 0.0)
    assert np.mean(np.array(shifts) > 0.01) < 0.005
    assert np.mean(shifts) < 0.0002


def test_the_edge_of_a_shadow_hides_no_robot(scene, random_bases):
    """What it darkens is not covered."""
    rng, lost = np.random.default_rng(2), 0
    rows, columns = np.indices((480, 640))
    for index, base in enumerate(random_bases(30, 8)):
        tracker, image = scene.tracker(), scene.picture(base, index)
        truth = tracker.update(image, 0.0)
        (u, v), angle = truth.corners.mean(0) + rng.normal(0, 6, 2), rng.uniform(0, 2 * math.pi)
        inside = (columns - u) * math.cos(angle) + (rows - v) * math.sin(angle)
        light = 1 - 0.3 / (1 + np.exp(-inside / 1.5))
        seen = tracker.update((image * light).astype(np.uint8), 0.1)
        lost += seen is None or math.hypot(seen.x - truth.x, seen.y - truth.y) > 0.02
    assert lost <= 3
