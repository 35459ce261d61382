# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws a recording with the simulated overhead camera, which needs no OpenGL."""

from __future__ import annotations

import math

import cv2
import numpy as np

from bea_ros.images.arrays import Image
from bea_ros.localization.arena import Arena
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.simulation.camera.overhead import Appearance, OverheadCamera, looks_of, overhead_pose
from bea_ros.simulation.observed import CAMERA_HEIGHT
from bea_ros.simulation.recording import Recording

TRAIL_COLOUR = (27, 138, 62)
FIELD_OF_VIEW = math.radians(95)


class Overview:
    """Draws a recording from above the arena, with the interface of `film.Film`."""

    def __init__(self, recording: Recording, arena: Arena, width: int, height: int) -> None:
        self.recording = recording
        self._looks = looks_of(recording.robot)
        self._camera = OverheadCamera(
            arena,
            Intrinsics.from_field_of_view(width, height, FIELD_OF_VIEW),
            overhead_pose(CAMERA_HEIGHT),
            Appearance(noise=0.0),
            "rgb8",
        )

    def frame(self, time: float) -> Image:
        """The picture at a time (s) of the recording: an RGB image (height, width, 3)."""
        modules, marker, base = self.recording.at(time)
        image = self._camera.render(*self._looks, modules, marker)
        until = self.recording.t <= time
        path = np.vstack([self.recording.base[until, :3, 3], base[:3, 3]])
        path[:, 2] = 0.0
        pixels = np.round(self._camera.project(path) * 16).astype(np.int32)
        cv2.polylines(image, [pixels], False, TRAIL_COLOUR, 2, cv2.LINE_AA, 4)
        return image

    def close(self) -> None:
        """Do nothing: there are no resources to free."""
