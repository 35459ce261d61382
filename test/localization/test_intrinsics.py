# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The camera model, forth and back."""

import math

import numpy as np
import pytest

from bea_ros.localization.intrinsics import Intrinsics

BARREL = (-0.25, 0.06, 0.001, -0.002, 0.0)


def test_project_follows_the_plumb_bob_equations():
    camera = Intrinsics.from_field_of_view(640, 480, math.radians(70), BARREL)
    x, y, z = 0.5, -0.3, 1.3
    k1, k2, p1, p2, _ = BARREL
    a, b = x / z, y / z
    r2 = a * a + b * b
    radial = 1 + k1 * r2 + k2 * r2**2
    u = a * radial + 2 * p1 * a * b + p2 * (r2 + 2 * a * a)
    v = b * radial + p1 * (r2 + 2 * b * b) + 2 * p2 * a * b
    focal = 320 / math.tan(math.radians(35))
    expected = [focal * u + 319.5, focal * v + 239.5]
    np.testing.assert_allclose(camera.project([[x, y, z]])[0], expected, atol=1e-9)


def test_rays_lead_back_to_the_pixels_they_came_from():
    camera = Intrinsics.from_field_of_view(160, 120, math.radians(80), BARREL)
    points = np.dstack([camera.rays, np.ones((120, 160))]).reshape(-1, 3)
    u, v = np.meshgrid(np.arange(160), np.arange(120))
    np.testing.assert_allclose(
        camera.project(points), np.column_stack([u.ravel(), v.ravel()]), atol=1e-3
    )


@pytest.mark.parametrize(
    ("matrix", "distortion", "size", "message"),
    [
        (np.zeros((3, 3)), [], (640, 480), "is the camera calibrated"),
        (np.full((3, 3), np.nan), [], (640, 480), "finite"),
        (np.eye(3), [0.1, 0.2, 0.3], (640, 480), "4, 5, 8, 12 or 14 coefficients, not 3"),
        (np.eye(3), [], (0, 480), "image size"),
        (np.eye(3), [-0.12, 0.02, 0, 0, 0], (640, 480), "is the camera calibrated"),
        (np.diag([1e100, 1e100, 1.0]), [], (640, 480), "64 to 64000 pixels"),
        ([[500, 0, 180483], [0, 500, 240], [0, 0, 1]], [], (640, 480), "the optical axis"),
    ],
)
def test_what_is_no_camera_is_refused(matrix, distortion, size, message):
    with pytest.raises(ValueError, match=message):
        Intrinsics(*size, matrix, np.asarray(distortion))
