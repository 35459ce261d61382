# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Insets in the pictures of a film: a caption, and the joints' angles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from bea_ros.images.arrays import Image
from bea_ros.runs.learned import Learned
from bea_ros.tasks import title_of

if TYPE_CHECKING:  # it imports MuJoCo, before which the backend must be chosen
    from bea_ros.simulation.recording import Recording

INK, PAPER = (29, 35, 41), (255, 255, 255)
SPAN = 4.0  # s of joint angles shown
SHARE = (0.34, 0.26)  # of the picture's width and height
COLOURS = (
    (33, 102, 172), (27, 138, 62), (178, 24, 43), (230, 138, 0), (118, 42, 131), (0, 136, 145),
    (140, 81, 10), (90, 90, 90),
)  # fmt: skip
SHIFT = 4  # fractional bits of cv2's pixel coordinates


class Insets:
    """Draws insets into the pictures of a recording, in place."""

    def __init__(self, learned: Learned, recording: Recording, speed: float) -> None:
        self._recording, self._speed = recording, speed
        self._title = f"{recording.robot.name}, {title_of(learned.task.name)}"
        base = recording.base
        self._turned = np.unwrap(np.arctan2(base[:, 1, 0], base[:, 0, 0]))
        self._turns = learned.task.unit == "rad"
        self._range = max(float(np.abs(recording.joints).max()), 0.1)  # rad

    def draw(self, image: Image, time: float) -> Image:
        """Draw the insets for a time (s) into an RGB image (height, width, 3); returns it."""
        self._joints(image, time)
        self._caption(image, time)
        return image

    def _caption(self, image: Image, time: float) -> None:
        recording, scale = self._recording, image.shape[0] / 720
        base = recording.at(time)[2]
        moved = float(np.linalg.norm(base[:2, 3] - recording.base[0, :2, 3]))
        turn = round(float(np.interp(time, recording.t, self._turned) - self._turned[0]), 1) + 0.0
        what = f"{turn:+.1f} rad" if self._turns else f"{moved:.2f} m"
        text = f"{self._title}   {time:4.1f} s   {what}   {self._speed:g}x"
        corner = (round(28 * scale), image.shape[0] - round(28 * scale))
        font, size, thickness = cv2.FONT_HERSHEY_SIMPLEX, 0.85 * scale, max(round(1.6 * scale), 1)
        (width, height), below = cv2.getTextSize(text, font, size, thickness)
        margin = round(10 * scale)
        low = (corner[0] - margin, corner[1] + below + margin)
        high = (corner[0] + width + margin, corner[1] - height - margin)
        cv2.rectangle(image, low, high, PAPER, cv2.FILLED)
        cv2.putText(image, text, corner, font, size, INK, thickness, cv2.LINE_AA)

    def _joints(self, image: Image, time: float) -> None:
        """Draw the angles of the last SPAN seconds in the upper right corner, a line per joint."""
        recording, scale = self._recording, image.shape[0] / 720
        width, height = round(SHARE[0] * image.shape[1]), round(SHARE[1] * image.shape[0])
        margin = round(20 * scale)
        left, top = image.shape[1] - width - margin, margin
        panel = image[top : top + height, left : left + width]
        panel[:] = panel // 4 + 191  # translucent white
        font, size = cv2.FONT_HERSHEY_SIMPLEX, 0.6 * scale
        text = f"joints, +-{self._range:.1f} rad, last {SPAN:g} s"
        cv2.putText(panel, text, (margin // 2, round(24 * scale)), font, size, INK, 1, cv2.LINE_AA)
        shown = (recording.t > time - SPAN) & (recording.t <= time)
        if shown.sum() < 2:
            return
        x = width * (1 + (recording.t[shown] - time) / SPAN)
        room = height - round(44 * scale)
        y = height - room / 2 - 4 * scale - room / 2 * recording.joints[shown] / self._range
        for number, line in enumerate(y.T):
            points = np.round(np.column_stack([x, line]) * 2**SHIFT).astype(np.int32)
            colour = COLOURS[number % len(COLOURS)]
            thickness = max(round(2 * scale), 1)
            cv2.polylines(panel, [points], False, colour, thickness, cv2.LINE_AA, SHIFT)
