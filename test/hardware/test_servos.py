# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Files of servos: pulses by hand, what is refused, and how a trim is saved."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml

from bea_ros.hardware.servos import ServosError, load_servos, servos_path
from bea_ros.hardware.trim import save_trim, with_trim
from bea_ros.robots import load_robot, robot_names

ROBOT = load_robot("spider9")
JOINTS = [joint.name for joint in ROBOT.joints]


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("ROS_HOME", str(tmp_path / "ros"))
    return tmp_path / "ros"


def content(**changes: Any) -> dict[str, Any]:
    servos = {name: {"pin": i} for i, name in enumerate(JOINTS)}
    return {"driver": "gpio", "servos": servos, **changes}


def written(tmp_path: Path, values: Any) -> Path:
    path = tmp_path / "servos.yaml"
    path.write_text(values if isinstance(values, str) else yaml.safe_dump(values))
    return path


@pytest.mark.parametrize("name", robot_names())
def test_every_robot_has_its_servos(name: str) -> None:
    servos = load_servos(servos_path(name), load_robot(name))
    assert [s.name for s in servos.servos] == [j.name for j in load_robot(name).joints]
    for servo in servos.servos:
        assert servo.pulse_of(0.0) == pytest.approx(1500.0)
        ends = sorted((servo.pulse_of(-math.pi / 4), servo.pulse_of(math.pi / 4)))
        assert ends == [pytest.approx(1010.0, abs=0.01), pytest.approx(1990.0, abs=0.01)]


def test_spider9_is_wired_as_published() -> None:
    """Revolve, hardware branch: BCM pins by grid cell, all inverse but 25."""
    servos = load_servos(servos_path("spider9"), ROBOT)
    cells = {joint.name: joint.grid for joint in ROBOT.joints}
    assert {s.output: cells[s.name] for s in servos.servos} == {
        27: (-1, 0), 17: (-3, 0), 9: (1, 0), 25: (3, 0),
        22: (0, 1), 18: (0, 3), 23: (0, -1), 10: (0, -3),
    }  # fmt: skip
    assert [s.output for s in servos.servos if not s.inverse] == [25]


def test_trim_direction_limits_and_rate(tmp_path: Path) -> None:
    values = content()
    values["defaults"] = {"pulse": [1000, 2000], "angle": [-1.0, 1.0], "max_rate": 3.0}
    values["servos"][JOINTS[0]] |= {"trim": 0.1}
    values["servos"][JOINTS[1]] |= {"trim": 0.1, "inverse": True}
    values["servos"][JOINTS[2]] |= {"limits": [-0.2, 0.9], "max_rate": 100.0}
    values["servos"][JOINTS[3]] |= {"limits": [0.1, 0.3]}
    trimmed, inverse, limited, apart, *_ = load_servos(written(tmp_path, values), ROBOT).servos
    assert trimmed.pulse_of(0.2) == pytest.approx(1650.0)
    assert inverse.pulse_of(0.2) == pytest.approx(1350.0)
    assert limited.pulse_of(-0.7) == pytest.approx(1400.0)
    # neither limits nor rates beyond the joint's own
    assert limited.pulse_of(0.9) == pytest.approx(1500.0 + 500 * ROBOT.joints[2].upper)
    assert (limited.velocity, trimmed.velocity) == (ROBOT.joints[2].velocity, 3.0)
    assert apart.neutral == 0.1
    with pytest.raises(ValueError, match="not finite"):
        trimmed.pulse_of(math.nan)


def with_servo(**entry: Any) -> dict[str, Any]:
    values = content()
    values["servos"][JOINTS[0]] |= entry
    return values


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ("servos: {", "not YAML"),
        ("- 1", "the file must hold names and values"),
        (content(driver="steam"), "driver is 'steam': allowed is one of gpio, pca9685"),
        (content(bus=1), "unknown entry 'bus'"),
        (content(frequency=500), "frequency is 500: allowed is 40 to 60 Hz"),
        (content(servos={"leg_00": {"pin": 1}}), "wrong: leg_01, leg_10"),
        (content(servos=None), "servos must hold names and values"),
        (with_servo(pin=28), "leg_01: pin is 28: allowed is a whole number from 0 to 27"),
        (with_servo(pin=1), "leg_01 and leg_00 share pin 1"),
        (with_servo(pin=True), "pin is True"),
        (with_servo(trim=1.0), "trim is 1.0: allowed is -0.35 to 0.35 rad"),
        (with_servo(trim=math.nan), "trim is nan"),
        (with_servo(pulse=[1990, 1010]), "pulse is [1990, 1010]: allowed are two rising"),
        (with_servo(pulse=[100, 1990]), "pulse is 100: allowed is 500 to 2500 us"),
        (with_servo(angle=[-0.2, 0.2]), "would need a pulse of"),
        (with_servo(limits=[0.8, 0.9]), "leave nothing"),
        (with_servo(inverse="yes please"), "inverse is 'yes please'"),
        (with_servo(max_rate=0), "max_rate is 0"),
        (with_servo(trimm=0.1), "leg_01 has an unknown entry 'trimm'; known: pin, pulse"),
        (content(driver="pca9685"), "unknown entry 'pin'"),
    ],
)
def test_a_bad_file_is_refused_with_its_name(tmp_path: Path, values: Any, said: str) -> None:
    path = written(tmp_path, values)
    with pytest.raises(ServosError) as error:
        load_servos(path, ROBOT)
    assert said in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


FLOW = "# kept\ndriver: gpio\nservos:\n  a: {pin: 1, trim: 0.1}  # here\n  b: {pin: 2}\n"
BLOCK = "servos:\n  a:\n    pin: 1\n    trim: 0.1 # so\n  b:\n    pin: 2\n"


@pytest.mark.parametrize(
    ("text", "joint", "changed"),
    [
        (FLOW, "a", FLOW.replace("0.1", "-0.0312")),
        (FLOW, "b", FLOW.replace("{pin: 2}", "{trim: -0.0312, pin: 2}")),
        (BLOCK, "a", BLOCK.replace("0.1", "-0.0312")),
        (BLOCK, "b", BLOCK.replace("    pin: 2", "    trim: -0.0312\n    pin: 2")),
    ],
)
def test_a_trim_is_all_that_changes(text: str, joint: str, changed: str) -> None:
    assert with_trim(text, joint, -0.03124) == changed


@pytest.mark.parametrize(
    "text",
    [
        "servos:\n  a: &same {trim: 0.1}\n  b: *same\n",
        "servos:\n  a: {trim: 0}\n  b: &such\n    pin: 1\n",
        "servos:\n  b: {trim: &both 0.1}\n  c: {trim: *both}\n",
    ],
    ids=["shared servo", "anchor", "shared trim"],
)
def test_a_trim_that_cannot_be_put_beside_an_anchor_is_refused(text: str) -> None:
    with pytest.raises(ServosError, match="cannot be put into this file"):
        with_trim(text, "b", 0.2)


def test_the_package_s_file_stays_and_the_calibrated_one_is_found(home: Path) -> None:
    packaged = servos_path("spider9")
    before = packaged.read_text()
    saved = save_trim(packaged, "leg_00", 0.05)
    assert saved == home / "servos" / "spider9.yaml" == servos_path("spider9")
    assert packaged.read_text() == before
    assert save_trim(saved, "leg_01", -0.05) == saved
    trims = {s.name: s.trim for s in load_servos(saved, ROBOT).servos}
    assert trims == {**dict.fromkeys(JOINTS, 0.0), "leg_00": 0.05, "leg_01": -0.05}
    assert [path.name for path in saved.parent.iterdir()] == ["spider9.yaml"]
    with pytest.raises(ServosError, match="is there already"):
        save_trim(packaged, "leg_00", 0.0)


def test_a_link_to_a_calibration_stays_one(tmp_path: Path, home: Path) -> None:
    real, link = written(tmp_path, content()), tmp_path / "link.yaml"
    link.symlink_to(real)
    assert save_trim(link, "leg_00", 0.05) == real
    assert link.is_symlink()
    assert load_servos(link, ROBOT).find("leg_00").trim == 0.05


def test_limits_in_rounded_angles_may_need_the_whole_range_of_pulses(tmp_path: Path) -> None:
    values = content(defaults={"pulse": [500, 2500], "angle": [-0.785398, 0.785398]})
    servos = load_servos(written(tmp_path, values), ROBOT).servos
    assert max(servo.pulse_of(servo.upper) for servo in servos) == pytest.approx(2500, abs=0.01)


def test_a_file_that_cannot_be_replaced_stays(tmp_path: Path, home: Path) -> None:
    home.mkdir()
    (home / "servos").write_text("in the way")
    with pytest.raises(ServosError, match="not saved to"):
        save_trim(servos_path("spider9"), "leg_00", 0.05)
    assert (home / "servos").read_text() == "in the way"


@pytest.mark.parametrize("text", ["servos: {", "servos:\n  leg_01: {pin: 1}\n", "\xff", ""])
def test_a_file_that_was_spoiled_while_a_servo_was_tried_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / "servos.yaml"
    path.write_text(text, "latin-1")
    with pytest.raises(ServosError, match=r"trim 0\.05 not saved to .*no servos"):
        save_trim(path, "leg_00", 0.05)
    assert path.read_text("latin-1") == text


def test_servos_of_a_robot_of_one_s_own_are_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "walker.urdf.xacro"
    assert servos_path(str(path)) == tmp_path / "walker.servos.yaml"


def test_a_robot_of_one_s_own_has_not_the_trims_of_the_package_s(
    tmp_path: Path, home: Path
) -> None:
    calibrated = save_trim(servos_path("spider9"), "leg_00", 0.05)
    own = tmp_path / "urdf" / "spider9.urdf.xacro"
    own.parent.mkdir()
    assert servos_path(str(own)) == calibrated, "where there is no file beside it"
    beside = own.with_name("spider9.servos.yaml")
    beside.write_text(yaml.safe_dump(content()))
    assert servos_path(str(own)) == servos_path(f"{own}:7") == beside
    assert servos_path("spider9") == calibrated
