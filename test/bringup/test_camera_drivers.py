# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The camera's driver, and devices that only a real robot has."""

from __future__ import annotations

from pathlib import Path

import pytest
from learn_arguments import arguments

from bea_ros.bringup import supervisor
from bea_ros.bringup.camera_drivers import DRIVERS, driver_of
from bea_ros.bringup.graphs import learn_graph
from bea_ros.bringup.node_spec import BringupError
from bea_ros.bringup.parameter_file import configured
from bea_ros.localization.camera_info import write_camera_info
from bea_ros.simulation.camera.overhead import default_intrinsics


@pytest.mark.parametrize("name", DRIVERS)
def test_a_camera_s_driver_is_told_of_device_calibration_and_size(
    name: str, tmp_path: Path
) -> None:
    calibration = tmp_path / "camera.yaml"
    write_camera_info(calibration, "overhead", default_intrinsics(1280, 960))
    wanted = arguments(
        robot_backend="hardware", camera=name, camera_device="/dev/video2",
        camera_info=str(calibration), image_transport="compressed",
    )  # fmt: skip
    graph = learn_graph(wanted)
    (driver,) = [node for node in graph if node.package == name]
    values = driver.parameters
    assert values["camera_info_url"] == f"file://{calibration}"
    assert "/dev/video2" in (values.get("video_device"), values.get("camera"))
    sides = values.get("image_size") or [values.get(f"{prefix}width") for prefix in ("image_", "")]
    assert 1280 in sides
    assert not values["use_sim_time"]
    assert dict(driver.remappings)["/tf"] == "tf"
    if name == "usb_cam":  # ends at a format that it does not know
        assert values["pixel_format"] == "mjpeg2rgb"
        assert driver_of(name, "", "", "raw").parameters["pixel_format"] == "yuyv"
    if name == "camera_ros":  # has private topics
        assert dict(driver.remappings)["~/image_raw"] == "image_raw"
        assert driver_of(name, "1", "", "raw").parameters["camera"] == 1
    (localization,) = [node for node in graph if node.executable == "camera_localization"]
    assert localization.parameters["camera_info_file"] == str(calibration)
    assert localization.parameters["image_transport"] == "compressed"
    assert localization.parameters["reliable_images"] is False


def test_a_camera_s_driver_can_be_set_in_the_parameter_file(tmp_path: Path) -> None:
    path = tmp_path / "nodes.yaml"
    path.write_text("usb_cam_node_exe: {ros__parameters: {framerate: 10.0}}")
    graph = learn_graph(arguments(robot_backend="hardware", camera="usb_cam"))
    changed = configured(graph, str(path), ())
    (driver,) = [node for node in changed if node.package == "usb_cam"]
    assert driver.parameters["framerate"] == 10.0


@pytest.mark.parametrize(
    ("name", "value"),
    [("camera", "usb_cam"), ("camera_info", "camera.yaml"), ("image_transport", "compressed"),
     ("camera_device", "1"), ("servos", "servos.yaml"), ("controller", "legs")],
)  # fmt: skip
def test_a_simulated_robot_has_no_real_camera_nor_servos(name: str, value: str) -> None:
    for backend in ("simulator", "gazebo"):
        with pytest.raises(
            BringupError, match=f"{name} {value} is for robot_backend (hardware|ros2)"
        ):
            learn_graph(arguments(robot_backend=backend, **{name: value}))


def test_a_driver_that_is_not_installed_is_named_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("ament_index_python")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    driver = driver_of("v4l2_camera", "", "", "raw")
    with pytest.raises(BringupError, match=r"not installed: sudo apt install ros-.*-v4l2-camera"):
        supervisor.run_graph([driver])
