# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Calibration files: those of ROS's own tools, ours, and such as cannot be used."""

import resource

import numpy as np
import pytest
import yaml

from bea_ros.localization.camera_info import (
    CameraInfoError,
    intrinsics_of,
    read_camera_info,
    write_camera_info,
)
from bea_ros.simulation.camera.overhead import default_intrinsics

# As camera_calibration's cameracalibrator writes it.
CAMERACALIBRATOR = """
image_width: 640
image_height: 480
camera_name: narrow_stereo
camera_matrix:
  rows: 3
  cols: 3
  data: [430.15433,   0.     , 311.71339,
           0.     , 430.60920, 221.06824,
           0.     ,   0.     ,   1.     ]
distortion_model: plumb_bob
distortion_coefficients:
  rows: 1
  cols: 5
  data: [-0.337586, 0.111948, -0.000218, -0.000030, 0.0]
rectification_matrix:
  rows: 3
  cols: 3
  data: [1., 0., 0.,
         0., 1., 0.,
         0., 0., 1.]
projection_matrix:
  rows: 3
  cols: 4
  data: [345.11902,   0.     , 312.15580,   0.     ,
           0.     , 382.50708, 222.20557,   0.     ,
           0.     ,   0.     ,   1.     ,   0.     ]
"""


def test_a_file_of_ros_s_own_calibrator_is_read(tmp_path):
    path = tmp_path / "ost.yaml"
    path.write_text(CAMERACALIBRATOR)
    for name in (path, f"file://{path}"):
        intrinsics = read_camera_info(name)
        assert (intrinsics.width, intrinsics.height) == (640, 480)
        assert intrinsics.matrix[0].tolist() == [430.15433, 0, 311.71339]
        assert intrinsics.distortion.tolist() == [-0.337586, 0.111948, -0.000218, -0.00003, 0]


def test_what_is_written_has_the_keys_and_shapes_that_ros_s_parser_wants(tmp_path):
    path = tmp_path / "new" / "camera.yaml"
    write_camera_info(path, "overhead", default_intrinsics())
    content, theirs = yaml.safe_load(path.read_text()), yaml.safe_load(CAMERACALIBRATOR)
    assert content.keys() == theirs.keys()
    for key, value in theirs.items():
        if isinstance(value, dict):
            assert {k: content[key][k] for k in ("rows", "cols")} == {
                k: value[k] for k in ("rows", "cols")
            }
            assert len(content[key]["data"]) == value["rows"] * value["cols"]
    again = read_camera_info(path)
    assert (again.matrix == default_intrinsics().matrix).all()
    assert (again.distortion == default_intrinsics().distortion).all()


def test_a_calibration_that_cannot_be_written_leaves_the_one_before(tmp_path):
    path = tmp_path / "camera.yaml"
    path.write_text(CAMERACALIBRATOR)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, before[1]))  # as a disk that is full
    try:
        with pytest.raises(OSError, match="File too large"):
            write_camera_info(path, "overhead", default_intrinsics())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == CAMERACALIBRATOR
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("plumb_bob", "equidistant", "'equidistant' is not supported, only plumb_bob"),
        ("430.15433", "0", "focal lengths above 0"),
        ("image_width: 640", "", "image_width must be a whole number"),
        ("camera_matrix:", "matrix:", "camera_matrix must hold"),
        ("image_width: 640", "{", "not YAML"),
        ("-0.337586, 0.111948, -0.000218,", "-0.337586,", "3 distortion coefficients are not"),
    ],
)
def test_unusable_files_are_named(tmp_path, old, new, message):
    path = tmp_path / "camera.yaml"
    path.write_text(CAMERACALIBRATOR.replace(old, new))
    with pytest.raises(CameraInfoError, match=message) as error:
        read_camera_info(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_and_an_uncalibrated_camera_are_told(tmp_path):
    with pytest.raises(CameraInfoError, match="cannot be read"):
        read_camera_info(tmp_path / "none.yaml")
    with pytest.raises(
        CameraInfoError, match=r"not calibrated: bea calibrate-camera.*--camera-info"
    ):
        intrinsics_of(640, 480, np.zeros(9), [], "")
