# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations are SciPy's, and nodes that need no more of it start without it."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from bea_ros.robots.rotation import from_rpy, to_quaternion

ANGLES = np.random.default_rng(0).uniform(-np.pi, np.pi, (200, 3)).tolist()
HALF_TURNS = [(np.pi, 0, 0), (0, np.pi, 0), (0, 0, np.pi), (0, 0, 0), (0, np.pi / 2, np.pi / 2)]


@pytest.mark.parametrize("angles", [*HALF_TURNS, *ANGLES[:5]])
def test_matrices_and_quaternions_are_scipys(angles):
    rotation = Rotation.from_euler("xyz", angles)
    np.testing.assert_allclose(from_rpy(*angles), rotation.as_matrix(), atol=1e-15)
    quaternion = to_quaternion(rotation.as_matrix())
    again = Rotation.from_quat(quaternion)
    assert (again * rotation.inv()).magnitude() < 1e-7
    assert np.linalg.norm(quaternion) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "module", ["cpg_controller", "servo_driver", "camera_localization.node", "simulator.node"]
)
def test_nodes_start_without_scipy(module):
    pytest.importorskip("bea_ros_interfaces")
    words = f"import sys, bea_ros.nodes.{module}; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", words]).returncode == 0
