# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations without SciPy, whose import takes as long as that of the rest of a node.

Results for `rpy` and quaternions equal SciPy's to the last bit.
"""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np
from numpy.typing import NDArray


def from_rpy(roll: float, pitch: float, yaw: float) -> NDArray[np.float64]:
    """Return the matrix (3, 3) of rotations (rad) about the fixed axes x, then y, then z."""
    (sr, cr), (sp, cp), (sy, cy) = ((sin(a / 2), cos(a / 2)) for a in (roll, pitch, yaw))
    x, y = cy * (cp * sr) - sy * (sp * cr), cy * (sp * cr) + sy * (cp * sr)
    z, w = sy * (cp * cr) - cy * (sp * sr), cy * (cp * cr) + sy * (sp * sr)
    return np.array(
        [
            [x * x - y * y - z * z + w * w, 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), -x * x + y * y - z * z + w * w, 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), -x * x - y * y + z * z + w * w],
        ]
    )


def turned(axis: tuple[float, ...], angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return transforms (n, 4, 4): rotations (rad) about a unit axis (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turns = np.broadcast_to(np.eye(4), (len(angles), 4, 4)).copy()
    c, s = (function(angles)[:, None, None] for function in (np.cos, np.sin))
    turns[:, :3, :3] += s * cross + (1 - c) * (cross @ cross)
    return turns


def to_quaternion(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the quaternion (x, y, z, w) of a rotation (3, 3), by its largest component."""
    m = matrix.tolist()
    diagonal = [m[0][0], m[1][1], m[2][2]]
    trace = sum(diagonal)
    largest = max(*diagonal, trace)
    parts = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1 + trace]
    if largest in diagonal:
        i = diagonal.index(largest)
        parts = [*(m[i][j] + m[j][i] for j in range(3)), parts[i]]
        parts[i] = 1 - trace + 2 * diagonal[i]
    quaternion = np.array(parts)
    return quaternion / sqrt(quaternion @ quaternion)
