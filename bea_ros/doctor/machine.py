# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks a machine: what is installed, what is missing, and how to install it."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import IO, Any

MINIMUM_SHARED_MEMORY = 64  # MiB; Fast DDS carries images through it
MINIMUM_DISK = 200  # MiB

SOURCE_ROS = "source a ROS 2 workspace, or 'make venv' in the checkout"
OUTSIDE = "(outside a venv with --break-system-packages)"
PATIENCE = 10.0  # s for a message between two processes, once both have started
LOADING = 120.0  # s for the other process to start
MOST_PATIENCE = 60.0  # s, on a busy machine
GREEN, RED, YELLOW = 32, 31, 33  # of a terminal
LAST_DOMAIN = 232  # with a higher one Fast DDS ends the process
MODEL = Path("/proc/device-tree/model")  # the name of a board such as a Raspberry Pi


@dataclass(frozen=True)
class Finding:
    """Result of a check: whether it is `good`, and else how to mend it; some are optional."""

    name: str
    good: bool
    detail: str
    remedy: str = ""
    needed: bool = True
    otherwise: str = "no"  # printed mark of an optional finding that is not good


def check_machine() -> int:
    """Print every finding; returns 0 if nothing necessary is missing, else 1."""
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")  # rich may be missing
    missing = 0
    for finding in _findings():
        mark, colour = ("ok", GREEN) if finding.good else ("missing", RED)
        if not finding.good and not finding.needed:
            mark, colour = finding.otherwise, YELLOW
        shown = f"\x1b[{colour}m{mark:<7}\x1b[0m" if coloured else f"{mark:<7}"
        print(f"{shown}  {finding.name}: {finding.detail}", flush=True)
        if not finding.good:
            print(f"           -> {finding.remedy}")
            missing += finding.needed
    if missing:
        print(f"{missing} thing{'s' * (missing > 1)} missing")
        return 1
    print("all is well: bea learn")
    return 0


def _findings() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("Python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")
    # If it is full, SIGBUS ends this process while it imports rclpy, which has LTTng.
    remedy = "enlarge /dev/shm, or remove files that other programs left there"
    yield _space("shared memory", "/dev/shm", MINIMUM_SHARED_MEMORY, remedy)
    for name, package, remedy in (
        ("numpy", "numpy", "pip install numpy"),
        ("scipy", "scipy", "pip install scipy"),
        ("scikit-learn", "sklearn", "pip install scikit-learn"),
        ("MuJoCo", "mujoco", f"pip install mujoco {OUTSIDE}"),
        ("xacro", "xacro", "apt install ros-$ROS_DISTRO-xacro, or pip install xacro"),
        ("matplotlib (report)", "matplotlib", "pip install matplotlib"),
        ("PyYAML", "yaml", "apt install python3-yaml, or pip install PyYAML"),
        ("rosbags (recordings)", "rosbags", f"pip install rosbags {OUTSIDE}"),
        ("ROS 2 (rclpy)", "rclpy", SOURCE_ROS),
        ("bea_ros_interfaces", "bea_ros_interfaces.msg", SOURCE_ROS),
    ):
        yield _package(name, package, remedy)
    for package in ("aiohttp", "pandas", "psutil", "rich"):
        yield _from_apt(package, package)
    yield from _servos()
    yield _opencv()
    yield _program(
        "ros2 launch", "ros2", "bea starts the nodes itself", "part of ROS 2, not needed here"
    )
    remedy = "apt install ros-$ROS_DISTRO-ros-gz"
    yield _program("Gazebo", "gz", "the embedded simulator is there anyhow", remedy)
    yield _dds()
    yield _space("disk of this folder", ".", MINIMUM_DISK, "make room")  # which gets runs/
    load = os.getloadavg()[0]
    cores = os.cpu_count() or 1
    yield Finding(
        "processors",
        load < cores,
        f"{cores}, at load {load:.1f}",
        "simulated runs give the same numbers on a busy machine, only slower",
        needed=False,
        otherwise="busy",
    )


def _package(name: str, package: str, remedy: str) -> Finding:
    try:
        module = import_module(package)
    except Exception as error:  # a broken installation raises anything
        return Finding(name, False, f"{type(error).__name__}: {error}", remedy)
    return Finding(name, True, str(getattr(module, "__version__", "found")), remedy)


def _servos() -> Iterator[Finding]:
    """The libraries that drive servos; on a Raspberry Pi, gpiozero also needs a pin library."""
    board = replace(_from_apt("smbus2", "smbus2 (servos on a PCA9685)"), needed=False)
    pins = replace(_from_apt("gpiozero", "gpiozero (servos on GPIO pins)"), needed=False)
    pulses = "lgpio or pigpio (servos on GPIO pins)"
    libraries = [_from_apt(library, pulses) for library in ("lgpio", "pigpio")]
    library = next((found for found in libraries if found.good), libraries[0])
    yield from (board, pins, replace(library, needed=pins.good and _is_raspberry_pi()))


def _from_apt(package: str, name: str) -> Finding:
    remedy = f"apt install python3-{package}, or pip install {package}"
    return _package(name, package, remedy)


def _is_raspberry_pi() -> bool:
    return MODEL.exists() and "Raspberry Pi" in MODEL.read_text()


def _opencv() -> Finding:
    name = "OpenCV with ArUco"
    remedy = "pip install opencv-python-headless, or apt install python3-opencv"
    markers = _package(name, "bea_ros.localization.markers.aruco", remedy)
    return _package(name, "cv2", remedy) if markers.good else markers


def _program(name: str, program: str, otherwise: str, remedy: str) -> Finding:
    found = shutil.which(program) is not None
    detail = "found" if found else f"not found: {otherwise}"
    return Finding(name, found, detail, remedy, needed=False)


def _dds() -> Finding:
    """Check that a message arrives in another process."""
    name = "DDS between processes"
    domain = os.environ.get("ROS_DOMAIN_ID") or "0"
    if not domain.isdecimal() or int(domain) > LAST_DOMAIN:
        remedy = f"unset it, or set a whole number from 0 to {LAST_DOMAIN}"
        return Finding(name, False, f"ROS_DOMAIN_ID is {domain}", remedy)
    script = "from bea_ros.doctor.machine import _talk; _talk()"
    # Without SROS 2: the check is of the machine, and a keystore has no enclave for it.
    plain = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "ROS_SECURITY_ENABLE": "false"}
    environment = {**os.environ, **plain}
    remedy = "a firewall or a container without loopback multicast keeps processes apart"
    command = [sys.executable, "-c", script]
    talker = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert talker.stdout
    patience = _patience()
    try:
        os.environ.update(plain)
        seconds = _listen(talker.stdout, patience)
    except Exception as error:
        return Finding(name, False, f"{type(error).__name__}: {error}", SOURCE_ROS)
    finally:
        talker.terminate()
        talker.wait()
    if seconds is None:
        load = f", at load {os.getloadavg()[0]:.0f}" if patience > PATIENCE else ""
        return Finding(name, False, f"no message in {patience:.0f} s{load}", remedy)
    return Finding(name, True, f"first message after {seconds:.1f} s", remedy)


def _patience() -> float:
    """Time limit (s) for a message, longer on a busy machine."""
    crowd = os.getloadavg()[0] / (os.cpu_count() or 1)
    return min(PATIENCE * max(crowd, 1.0), MOST_PATIENCE)


@contextmanager
def _node(name: str) -> Iterator[tuple[Any, Callable[[], None]]]:
    """A node, and what spins it for a moment."""
    import rclpy

    rclpy.init()
    node = rclpy.create_node(f"bea_doctor_{name}")
    try:
        yield node, lambda: rclpy.spin_once(node, timeout_sec=0.1)
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


def _talk() -> None:
    from std_msgs.msg import Empty

    with _node("talker") as (node, spin):
        publisher = node.create_publisher(Empty, "bea_doctor", 1)
        print(flush=True)  # tells the parent that the node has started
        while True:
            publisher.publish(Empty())
            spin()


def _listen(talker: IO[bytes], patience: float) -> float | None:
    """Time (s) from the talker's start to its first message; None if no message came."""
    from std_msgs.msg import Empty

    with _node("listener") as (node, spin):
        heard: list[Empty] = []
        node.create_subscription(Empty, "bea_doctor", heard.append, 1)
        select.select([talker], [], [], LOADING)
        began = time.monotonic()
        while not heard and time.monotonic() - began < patience:
            spin()
        return time.monotonic() - began if heard else None


def _space(name: str, folder: str, least: int, remedy: str) -> Finding:
    if not Path(folder).is_dir():
        return Finding(name, False, f"no {folder}", remedy)
    free = shutil.disk_usage(folder).free // 2**20
    return Finding(name, free >= least, f"{free} MiB free", f"{remedy}: {least} MiB are needed")
