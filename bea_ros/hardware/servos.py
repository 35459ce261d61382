# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The servos of a robot in a YAML file: their connections, and their pulses for angles."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bea_ros.robots import Joint, Robot, kind_and_marker, robot_name, robot_names
from bea_ros.system.resources import resource_path
from bea_ros.system.yaml_files import read_yaml

OUTPUTS = {"gpio": ("pin", 27), "pca9685": ("channel", 15)}  # driver: name and highest number
BOARD_DEFAULTS = {
    "gpio": {"frequency": 50},
    "pca9685": {"frequency": 50, "bus": 1, "address": 0x40, "oscillator": 25_000_000},
}
BOARD_RANGES = {
    "frequency": (40, 60, "Hz"),
    "address": (0x03, 0x77, ""),
    "oscillator": (20_000_000, 30_000_000, "Hz"),
}
# The servos of the paper's robots (Revolve, hardware branch: +-0.7 of a 700 us half range).
SERVO_DEFAULTS: dict[str, Any] = {
    "pulse": (1010, 1990),
    "angle": (-math.pi / 4, math.pi / 4),
    "trim": 0.0,
    "inverse": False,
}
PULSES = (500.0, 2500.0)  # us; a wider range than any hobby servo's
LARGEST_TRIM = 0.35  # rad; 20 degrees: put the horn on the next tooth instead


class ServosError(ValueError):
    """A file of servos that cannot be used; the message is one line."""


@dataclass(frozen=True)
class Servo:
    """The servo of a joint: the joint's name and limits, its pin or channel, and its calibration.

    Angles are in rad, `velocity` in rad/s. A pulse of `pulse[0]` us turns it to `angle[0]`,
    `pulse[1]` to `angle[1]`, the other way round if `inverse`. `trim` is added to every angle.
    """

    name: str
    lower: float
    upper: float
    neutral: float
    velocity: float
    output: int
    pulse: tuple[float, float]
    angle: tuple[float, float]
    trim: float
    inverse: bool

    def pulse_of(self, angle: float) -> float:
        """Return the pulse (us) for an angle (rad), clipped to the limits; raises ValueError."""
        if not math.isfinite(angle):
            raise ValueError(f"angle {angle} of {self.name} is not finite")
        wanted = min(max(angle, self.lower), self.upper) + self.trim
        fraction = (wanted - self.angle[0]) / (self.angle[1] - self.angle[0])
        low, high = self.pulse[::-1] if self.inverse else self.pulse
        return low + fraction * (high - low)

    def check(self) -> Servo:
        """Return this servo; raises ServosError if its limits need pulses out of range."""
        for end in (self.lower, self.upper):
            if not PULSES[0] - 0.5 < self.pulse_of(end) < PULSES[1] + 0.5:  # rounded angles
                raise ServosError(
                    f"{end:.3f} rad would need a pulse of {self.pulse_of(end):.0f} us: "
                    f"allowed is {PULSES[0]:.0f} to {PULSES[1]:.0f} us; narrow its limits"
                )
        return self


@dataclass(frozen=True)
class Servos:
    """The servos of a robot, in the order of its joints, and the board that makes their pulses.

    `board` holds `driver` (gpio or pca9685) and its settings: frequency (Hz), and for a PCA9685
    bus, address and oscillator (Hz).
    """

    path: Path
    board: dict[str, Any]
    servos: tuple[Servo, ...]

    def find(self, joint: str) -> Servo:
        """Return the servo of a joint; raises ServosError."""
        for servo in self.servos:
            if servo.name == joint:
                return servo
        known = ", ".join(servo.name for servo in self.servos)
        raise ServosError(f"unknown joint {joint!r}; known: {known}")


def own_folder() -> Path:
    """Return the folder of the user's calibrations: servos in ROS_HOME, else in ~/.ros."""
    return Path(os.environ.get("ROS_HOME") or Path.home() / ".ros") / "servos"


def servos_path(robot: str) -> Path:
    """Return the file of servos of a robot, given by name or by path of its NAME.urdf.xacro.

    A file calibrated on this machine comes before the package's. For the user's own robot,
    NAME.servos.yaml beside its xacro comes first: the calibrated one may be of a robot of the
    package that has the same name.
    """
    name = robot_name(robot)
    kind, _ = kind_and_marker(robot)
    of_package = kind in robot_names()
    own = own_folder() / f"{name}.yaml"
    shipped = (
        resource_path(f"config/servos/{name}.yaml")
        if of_package
        else Path(kind).with_name(f"{name}.servos.yaml")
    )
    order = (own, shipped) if of_package else (shipped, own)
    # A broken link or folder is refused when read.
    return next(filter(os.path.lexists, order), shipped)


def load_servos(path: Path | str, robot: Robot) -> Servos:
    """Read the servos in a file, one for each joint of the robot; raises ServosError."""
    path = Path(path).expanduser()
    content = read_yaml("servos", path, ServosError)
    try:
        return _servos(path, content, robot)
    except ServosError as error:
        raise ServosError(f"servos {path}: {' '.join(str(error).split())}") from None


def _servos(path: Path, content: Any, robot: Robot) -> Servos:
    top = _mapping(content, "the file")
    driver = top.get("driver")
    if not isinstance(driver, str) or driver not in OUTPUTS:
        raise ServosError(f"driver is {driver!r}: allowed is one of {', '.join(OUTPUTS)}")
    _known(top, ("driver", "defaults", "servos", *BOARD_DEFAULTS[driver]), "the file")
    board = {"driver": driver} | {
        name: _board_value(name, top.get(name, default))
        for name, default in BOARD_DEFAULTS[driver].items()
    }
    output, highest = OUTPUTS[driver]
    optional = (*SERVO_DEFAULTS, "limits", "max_rate")
    defaults = _mapping(top.get("defaults", {}), "defaults")
    _known(defaults, optional, "defaults")
    entries = _mapping(top.get("servos"), "servos")
    joints = [joint.name for joint in robot.joints]
    if set(entries) != set(joints):
        odd = sorted(set(map(str, entries)) ^ set(joints))
        raise ServosError(
            f"servos must name the joints of {robot.name} and no others; wrong: {', '.join(odd)}"
        )
    servos = []
    taken: dict[int, str] = {}
    for joint in robot.joints:
        entry = _mapping(entries[joint.name], joint.name)
        _known(entry, (output, *optional), joint.name)
        values = {**SERVO_DEFAULTS, **defaults, **entry}
        try:
            number = _whole(output, values.get(output), 0, highest)
            servos.append(_servo(joint, number, values))
        except ServosError as error:
            raise ServosError(f"{joint.name}: {error}") from None
        if (other := taken.setdefault(number, joint.name)) != joint.name:
            raise ServosError(f"{other} and {joint.name} share {output} {number}")
    return Servos(path, board, tuple(servos))


def _servo(joint: Joint, output: int, values: Mapping[str, Any]) -> Servo:
    pulse = _pair("pulse", values["pulse"], *PULSES, "us")
    angle = _pair("angle", values["angle"], -math.pi, math.pi, "rad")
    limits = _pair("limits", values.get("limits", (-math.pi, math.pi)), -math.pi, math.pi, "rad")
    lower, upper = max(joint.lower, limits[0]), min(joint.upper, limits[1])
    if lower >= upper:
        raise ServosError(f"limits {list(limits)} leave nothing of the joint's own")
    trim = _number("trim", values["trim"], -LARGEST_TRIM, LARGEST_TRIM, "rad")
    if not isinstance(values["inverse"], bool):
        raise ServosError(f"inverse is {values['inverse']!r}: allowed is true or false")
    fastest = joint.velocity
    rate = _number("max_rate", values.get("max_rate", fastest), 0.01, 100.0, "rad/s")
    neutral = min(max(joint.neutral, lower), upper)
    return Servo(
        joint.name, lower, upper, neutral, min(rate, fastest),
        output, pulse, angle, trim, values["inverse"],
    ).check()  # fmt: skip


def _board_value(name: str, value: Any) -> Any:
    if name == "bus":
        if isinstance(value, str) or (type(value) is int and value >= 0):
            return value
        raise ServosError(f"bus is {value!r}: allowed is a number or a path such as /dev/i2c-1")
    low, high, unit = BOARD_RANGES[name]
    if name == "address":
        return _whole(name, value, low, high)
    return _number(name, value, low, high, unit)


def _mapping(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ServosError(f"{what} must hold names and values, not {value!r}")
    return value


def _known(mapping: Mapping[str, Any], names: tuple[str, ...], what: str) -> None:
    for name in mapping:
        if name not in names:
            raise ServosError(f"{what} has an unknown entry {name!r}; known: {', '.join(names)}")


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise ServosError(f"{name} is {value!r}: allowed is a whole number from {low} to {high}")
    return value


def _number(name: str, value: Any, low: float, high: float, unit: str) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not good or not low <= value <= high:
        raise ServosError(f"{name} is {value!r}: allowed is {low:g} to {high:g} {unit}")
    return float(value)


def _pair(name: str, value: Any, low: float, high: float, unit: str) -> tuple[float, float]:
    if isinstance(value, list | tuple) and len(value) == 2:
        first, second = (_number(name, number, low, high, unit) for number in value)
        if first < second:
            return first, second
    raise ServosError(
        f"{name} is {value!r}: allowed are two rising numbers from {low:g} to {high:g} {unit}"
    )
