# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Drivers of real cameras, as data: package, executable, and names of their parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FRAME = "camera_optical_frame"
USUAL_SIZE = (640, 480)  # pixels


def usb_cam(device: str, url: str, size: tuple[int, int], compressed: bool) -> dict[str, Any]:
    """Webcams. For compressed images the camera sends JPEGs, which allows a higher frame rate.

    usb_cam cannot publish these JPEGs: it decodes them, and image_transport compresses again. yuyv
    is published as yuv422_yuy2, of which image_messages uses only the brightness.
    """
    parameters = {
        "video_device": device or "/dev/video0",
        "image_width": size[0],
        "image_height": size[1],
        "pixel_format": "mjpeg2rgb" if compressed else "yuyv",
        "camera_name": "overhead",
        "camera_info_url": url,
        "frame_id": FRAME,
    }
    return {"package": "usb_cam", "executable": "usb_cam_node_exe", "parameters": parameters}


def v4l2_camera(device: str, url: str, size: tuple[int, int], compressed: bool) -> dict[str, Any]:
    """All Video4Linux cameras; compressed images need image_transport_plugins."""
    parameters = {
        "video_device": device or "/dev/video0",
        "image_size": list(size),
        "camera_info_url": url,
        "camera_frame_id": FRAME,
    }
    return {"package": "v4l2_camera", "executable": "v4l2_camera_node", "parameters": parameters}


def camera_ros(device: str, url: str, size: tuple[int, int], compressed: bool) -> dict[str, Any]:
    """A Raspberry Pi's cameras, by libcamera; `device` is a number or libcamera's name."""
    parameters = {
        "camera": int(device) if device.isdecimal() else device or 0,
        "width": size[0],
        "height": size[1],
        "camera_info_url": url,
        "frame_id": FRAME,
    }
    topics = ("image_raw", "image_raw/compressed", "camera_info")
    return {
        "package": "camera_ros",
        "executable": "camera_node",
        "parameters": parameters,
        "remappings": tuple((f"~/{topic}", topic) for topic in topics),
    }


DRIVERS: dict[str, Callable[..., dict[str, Any]]] = {
    driver.__name__: driver for driver in (usb_cam, v4l2_camera, camera_ros)
}
EXECUTABLES = [driver("", "", USUAL_SIZE, False)["executable"] for driver in DRIVERS.values()]


def driver_of(name: str, device: str, calibration: str, transport: str) -> dict[str, Any]:
    """Return a driver's package, executable, parameters and remappings, without `use_sim_time`.

    `calibration` is the camera's YAML file, or "". The driver is asked for images of the size for
    which the camera was calibrated. Raises CameraInfoError.
    """
    from bea_ros.localization.camera_info import local_path, read_camera_info

    size, url = USUAL_SIZE, ""
    if calibration:
        intrinsics = read_camera_info(calibration)
        size = (intrinsics.width, intrinsics.height)
        url = f"file://{local_path(calibration).absolute()}"
    return DRIVERS[name](device, url, size, transport == "compressed")
