# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A camera's calibration as a YAML file, as ROS's camera_calibration_parsers write and read it.

usb_cam, v4l2_camera, camera_ros and all other drivers with a camera_info_manager read such files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from bea_ros.images.arrays import Array
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.system.files import replace_file
from bea_ros.system.yaml_files import read_yaml

PLUMB_BOB, RATIONAL = "plumb_bob", "rational_polynomial"
MODELS = {PLUMB_BOB: (0, 4, 5), RATIONAL: (8, 12, 14)}  # numbers of coefficients

LARGEST = 100_000  # pixels of an image's width or height


class CameraInfoError(ValueError):
    """An invalid calibration; the message is one line."""


def intrinsics_of(
    width: int, height: int, matrix: Sequence[float], distortion: Sequence[float], model: str
) -> Intrinsics:
    """Return the intrinsics of the fields of sensor_msgs/CameraInfo; raises CameraInfoError.

    `matrix` is k, row by row. `model` is the distortion model; "" means plumb_bob.
    """
    if model not in ("", *MODELS):
        raise CameraInfoError(
            f"distortion model {model!r} is not supported, only {', '.join(MODELS)}"
        )
    if not np.any(np.asarray(matrix, float)):
        raise CameraInfoError(
            "the camera is not calibrated: bea calibrate-camera, then give its file "
            "(--camera-info FILE, or camera_info:=FILE)"
        )
    if len(distortion) not in MODELS[model or PLUMB_BOB] and np.any(np.asarray(distortion)):
        raise CameraInfoError(
            f"{len(distortion)} distortion coefficients are not those of {model or PLUMB_BOB}"
        )
    try:
        return Intrinsics(width, height, np.reshape(matrix, (3, 3)), np.asarray(distortion, float))
    except ValueError as error:
        raise CameraInfoError(str(error)) from error


def model_of(intrinsics: Intrinsics) -> str:
    """Return the distortion model, by the number of its coefficients."""
    return PLUMB_BOB if intrinsics.distortion.size <= 5 else RATIONAL


def write_camera_info(path: Path, name: str, intrinsics: Intrinsics) -> None:
    """Write the calibration of the camera `name`. A missing folder is created.

    Raises OSError; an existing calibration is then unchanged.
    """
    k = intrinsics.matrix
    content = {
        "image_width": intrinsics.width,
        "image_height": intrinsics.height,
        "camera_name": name,
        "camera_matrix": _matrix(k),
        "distortion_model": model_of(intrinsics),
        "distortion_coefficients": _matrix(intrinsics.distortion[None]),
        "rectification_matrix": _matrix(np.eye(3)),
        "projection_matrix": _matrix(np.column_stack([k, np.zeros(3)])),
    }
    replace_file(path, yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=99))


def read_camera_info(path: str | Path) -> Intrinsics:
    """Read the intrinsics of a calibration file, given by path or URL file://...

    Raises CameraInfoError.
    """
    where = local_path(path)
    content = read_yaml("camera calibration", where, CameraInfoError)
    try:
        return intrinsics_of(
            _number(content, "image_width"),
            _number(content, "image_height"),
            _numbers(content, "camera_matrix", 9),
            _numbers(content, "distortion_coefficients"),
            str(content.get("distortion_model", "")),
        )
    except CameraInfoError as error:
        raise CameraInfoError(f"{where}: {error}") from error


def local_path(path: str | Path) -> Path:
    """Return the path of a URL file://..., or a path as it is."""
    return Path(str(path).removeprefix("file://")).expanduser()


def _matrix(values: Array) -> dict[str, Any]:
    rows, columns = values.shape
    return {"rows": rows, "cols": columns, "data": [float(value) for value in values.ravel()]}


def _number(content: Any, key: str) -> int:
    value = content.get(key) if isinstance(content, Mapping) else None
    if type(value) is not int or abs(value) > LARGEST:
        raise CameraInfoError(f"{key} must be a whole number to {LARGEST}, not {value!r}")
    return value


def _numbers(content: Mapping[str, Any], key: str, count: int | None = None) -> list[float]:
    matrix = content.get(key)
    data = matrix.get("data") if isinstance(matrix, Mapping) else None
    good = isinstance(data, list) and all(type(value) in (int, float) for value in data)
    if not good or (count is not None and len(data or []) != count):
        raise CameraInfoError(f"{key} must hold `data`, a list of {count or ''} numbers")
    try:
        return [float(value) for value in data or []]
    except OverflowError:
        raise CameraInfoError(f"{key} has a number that is too large") from None
