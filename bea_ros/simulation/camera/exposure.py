# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Effects of light, lens and sensor on an image: lighting, glare and noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image

_NOISE_SHIFTS = 64  # pixels by which the noise bank exceeds the image; each frame has its own cut
_NOISE_SEED = 20200406


@dataclass(frozen=True)
class Appearance:
    """Settings of lens, sensor and light; the defaults are those of a decent webcam.

    Raises ValueError for values that are not allowed.
    """

    blur: float = 0.6  # standard deviation of the lens blur (pixels)
    noise: float = 2.0  # standard deviation of the sensor noise (grey levels)
    brightness: float = 1.0  # exposure; 0 is darkness
    vignetting: float = 0.25  # loss of light in the image's corners (share)
    gradient: float = 0.15  # loss of light from the lamp's side of the arena to the other (share)
    glare: float = 0.0  # brightness of the lamp's reflection on the floor (share of full white)
    shadow: float = 0.55  # darkness of the robot's shadow (share)

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            top = math.inf if field.name in ("blur", "noise", "brightness") else 1.0
            if not (0 <= value <= top and math.isfinite(value)):
                limits = "at least 0" if top == math.inf else "between 0 and 1"
                raise ValueError(f"camera {field.name} must be {limits}, not {value}")


class Exposure:
    """Light, lens and sensor of a camera with images of (height, width) pixels."""

    def __init__(self, appearance: Appearance, height: int, width: int, channels: int):
        self._look = appearance
        u = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
        v = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
        gain = appearance.brightness * (1 - appearance.vignetting * (u * u + v * v) / 2)
        gain = gain * (1 - appearance.gradient * (0.5 + 0.3 * u + 0.2 * v))
        spot = ((u - 0.35) / 0.22) ** 2 + ((v + 0.3) / 0.2) ** 2
        glare = 255 * appearance.glare * appearance.brightness * np.exp(-spot)
        if channels == 3:
            gain, glare = (np.repeat(m[:, :, None], 3, axis=2) for m in (gain, glare))
        self._gain, self._glare = gain.astype(np.float32), glare.astype(np.float32)
        self._plus, self._minus = self._noise_bank((height, width), channels)

    def expose(self, picture: Image, rows: slice, columns: slice) -> Image:
        """Apply lighting and glare to `picture`, the evenly lit part at `rows` and `columns`."""
        lit = cv2.multiply(picture, self._gain[rows, columns], dtype=cv2.CV_8U)
        if self._look.glare > 0:
            lit = cv2.add(lit, self._glare[rows, columns], dtype=cv2.CV_8U)
        return lit

    def add_noise(self, image: Image, seed: int) -> None:
        """Add the sensor noise of `seed` to a whole image, in place."""
        if self._look.noise == 0:
            return
        row, column = np.random.default_rng(seed).integers(0, _NOISE_SHIFTS, 2)
        cut = slice(row, row + image.shape[0]), slice(column, column + image.shape[1])
        cv2.add(image, self._plus[cut], image)
        cv2.subtract(image, self._minus[cut], image)

    def _noise_bank(self, shape: tuple[int, int], channels: int) -> tuple[Array, Array]:
        """Noise to add to and to subtract from an image: two banks, as pixels are unsigned."""
        rng = np.random.default_rng(_NOISE_SEED)
        size = tuple(n + _NOISE_SHIFTS for n in shape) + ((3,) if channels == 3 else ())
        noise = np.rint(rng.standard_normal(size, np.float32) * self._look.noise)
        plus, minus = np.clip(noise, 0, 255), np.clip(-noise, 0, 255)
        return plus.astype(np.uint8), minus.astype(np.uint8)
