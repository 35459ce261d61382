# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An arena, cameras over it, and a robot that is a few boxes with a marker on top."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from bea_ros.localization.arena import Arena
from bea_ros.localization.pose import Prior
from bea_ros.localization.tracker import Tracker
from bea_ros.simulation.camera.overhead import (
    Appearance,
    OverheadCamera,
    default_intrinsics,
    overhead_pose,
)
from bea_ros.system.resources import resource_path

HEIGHT = 0.03
MARKER_IN_BASE = np.eye(4)
MARKER_IN_BASE[:3, 3] = 0.005, 0.0, 0.04
_BODY = np.array([[0.09, 0.09, 0.045]] + [[0.04, 0.04, 0.035]] * 4)
_LIMBS = np.array([[0, 0, 0.01], [0.13, 0, 0], [-0.13, 0, 0], [0, 0.13, 0], [0, -0.13, 0]])
_COLOURS = np.array([[60, 60, 65]] + [[230, 120, 30]] * 4)


class Scene:
    """A camera over an arena in which the robot can be put anywhere."""

    def __init__(self, camera: OverheadCamera):
        self.camera = camera
        self.arena = camera.arena

    def tracker(self, **options) -> Tracker:
        arena = options.pop("arena", self.arena)
        return Tracker(arena, self.camera.intrinsics, MARKER_IN_BASE, Prior(HEIGHT), **options)

    def with_floor(self, markers) -> Scene:
        """The same camera over other floor markers."""
        camera, arena = self.camera, replace(self.arena, floor_markers=tuple(markers))
        like = camera.intrinsics, camera.pose, camera.appearance, camera.encoding
        return Scene(OverheadCamera(arena, *like))

    def picture(self, base: np.ndarray, seed: int = 0) -> np.ndarray:
        parts = np.tile(np.eye(4), (len(_LIMBS), 1, 1))
        parts[:, :3, 3] = _LIMBS
        return self.camera.render(_BODY, _COLOURS, base @ parts, base @ MARKER_IN_BASE, seed)

    def empty(self, seed: int = 0) -> np.ndarray:
        return self.camera.render_empty(seed)


def _base(x=0.0, y=0.0, yaw=0.0, z=HEIGHT, tilt=(0.0, 0.0)) -> np.ndarray:
    """base_link in the map; `tilt` is a turn (rad) about the map's x and y axes."""
    pose = np.eye(4)
    lean = cv2.Rodrigues(np.array([*tilt, 0.0]))[0]
    pose[:3, :3] = lean @ cv2.Rodrigues(np.array([0.0, 0.0, yaw]))[0]
    pose[:3, 3] = x, y, z
    return pose


def _random_bases(count: int, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [
        _base(
            rng.uniform(-1.8, 1.8),
            rng.uniform(-1.3, 1.3),
            rng.uniform(-math.pi, math.pi),
            HEIGHT + rng.normal(0, 0.008),
            rng.normal(0, math.radians(3), 2),
        )
        for _ in range(count)
    ]


@cache
def _scene(width=640, height=480, encoding="mono8", roll=0.02, **look) -> Scene:
    arena = Arena.load(resource_path("config/arena.yaml"))
    camera = OverheadCamera(
        arena,
        default_intrinsics(width, height),
        overhead_pose(2.5, 0.04, -0.03, roll, -0.015),
        Appearance(**look),
        encoding,
    )
    return Scene(camera)


@pytest.fixture(scope="session")
def make_scene():
    """A function of image size, encoding, tilt and appearance that returns a (cached) Scene."""
    return _scene


@pytest.fixture(scope="session")
def scene() -> Scene:
    """640x480, mono8, the usual appearance."""
    return _scene()


@pytest.fixture(scope="session")
def make_base():
    """A function (x, y, yaw, z, tilt) -> pose (4, 4) of base_link in the map."""
    return _base


@pytest.fixture(scope="session")
def random_bases():
    """A function (count, seed) -> poses (4, 4) of base_link all over the arena."""
    return _random_bases


@pytest.fixture(scope="session")
def marker_in_base() -> np.ndarray:
    return MARKER_IN_BASE
