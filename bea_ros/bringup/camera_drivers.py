# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Drivers of real cameras, as data: package, executable, and names of their parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bea_ros.bringup.node_spec import NodeSpec

FRAME = "camera_optical_frame"
USUAL_SIZE = (640, 480)  # pixels


def usb_cam(device: str, size: tuple[int, int], compressed: bool) -> NodeSpec:
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
        "frame_id": FRAME,
    }
    return NodeSpec("usb_cam_node_exe", parameters, "usb_cam")


def v4l2_camera(device: str, size: tuple[int, int], compressed: bool) -> NodeSpec:
    """All Video4Linux cameras; compressed images need image_transport_plugins."""
    parameters = {
        "video_device": device or "/dev/video0",
        "image_size": list(size),
        "camera_frame_id": FRAME,
    }
    return NodeSpec("v4l2_camera_node", parameters, "v4l2_camera")


def camera_ros(device: str, size: tuple[int, int], compressed: bool) -> NodeSpec:
    """A Raspberry Pi's cameras, by libcamera; `device` is a number or libcamera's name."""
    parameters = {
        "camera": int(device) if device.isdecimal() else device or 0,
        "width": size[0],
        "height": size[1],
        "frame_id": FRAME,
    }
    topics = ("image_raw", "image_raw/compressed", "camera_info")
    remappings = tuple((f"~/{topic}", topic) for topic in topics)
    return NodeSpec("camera_node", parameters, "camera_ros", remappings=remappings)


DRIVERS: dict[str, Callable[[str, tuple[int, int], bool], NodeSpec]] = {
    driver.__name__: driver for driver in (usb_cam, v4l2_camera, camera_ros)
}
EXECUTABLES = [driver("", USUAL_SIZE, False).executable for driver in DRIVERS.values()]


def driver_of(name: str, device: str, calibration: str, transport: str) -> NodeSpec:
    """Return a camera's driver.

    `calibration` is the camera's YAML file, or "". The driver is asked for images of the size for
    which the camera was calibrated. Raises CameraInfoError.
    """
    from bea_ros.localization.camera_info import local_path, read_camera_info

    size, url = USUAL_SIZE, ""
    if calibration:
        intrinsics = read_camera_info(calibration)
        size = (intrinsics.width, intrinsics.height)
        url = f"file://{local_path(calibration).absolute()}"
    driver = DRIVERS[name](device, size, transport == "compressed")
    shared = {"camera_info_url": url, "use_sim_time": False}
    return replace(driver, parameters={**driver.parameters, **shared})
