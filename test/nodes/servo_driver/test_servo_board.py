# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The servo driver on an emulated PCA9685: its registers, and a bus that refuses or hangs."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import yaml
from emulated.pca9685_file import HANGING, MODE1, MODE2, NACKS, PRESCALE, Chip
from graph import HANGS, alive, refusal, wait_for
from operator_desk import Desk
from servo_pins import output_process
from std_srvs.srv import Trigger

from bea_ros.hardware import output_link
from bea_ros.hardware.errors import HardwareError

pytest.importorskip("smbus2", reason="smbus2 is not installed")
pytestmark = pytest.mark.graph

TICK = 122 / 25.0  # us: 50 Hz needs a prescaler of 121 (NXP, PCA9685, equation 1)
US_PER_RADIAN = 490.0 / (math.pi / 4)
SERVOS = {
    "leg_00": {"channel": 0},
    "leg_01": {"channel": 1, "trim": 0.1},
    "leg_10": {"channel": 2, "trim": 0.1, "inverse": True},
    "leg_11": {"channel": 3, "limits": [-0.2, 0.4]},
    "leg_20": {"channel": 4, "max_rate": 0.5},
    "leg_21": {"channel": 5, "pulse": [600, 2400], "angle": [-1.570796, 1.570796]},
    "leg_30": {"channel": 14},
    "leg_31": {"channel": 15},
}
NEUTRAL = {0: 0.0, 1: 0.1, 2: -0.1, 3: 0.0, 4: 0.0, 5: 0.0, 14: 0.0, 15: 0.0}  # rad of the horn
OFF = [None] * 16


def pulses(angles: dict[int, float]) -> list:
    """Of 16 channels, from angles of the horn, to half a tick."""
    wide = 900 / (math.pi / 2)
    return [
        pytest.approx(1500 + angles[c] * (wide if c == 5 else US_PER_RADIAN), abs=TICK / 2 + 0.01)
        if c in angles else None
        for c in range(16)
    ]  # fmt: skip


class BoardDesk(Desk):
    """A desk beside a board, and the file of servos for it."""

    def __init__(self, folder: Path, domain: int) -> None:
        super().__init__(folder, domain)
        self.chip = Chip.make(folder / "i2c")
        self.file = folder / "servos.yaml"
        board = {"driver": "pca9685", "bus": str(folder / "i2c"), "servos": SERVOS}
        self.file.write_text(yaml.safe_dump(board))

    def on(self, *parameters: str):
        return self.start(f"servos:={self.file}", "stagger:=0.0", *parameters)

    def powered(self) -> bool:
        return self.chip.pulses() != OFF

    def at_neutral(self) -> None:
        """Arm, and wait until all servos are at neutral."""
        self.up()
        self.wait(lambda: self.chip.pulses() == pulses(NEUTRAL))


@pytest.fixture
def desk(tmp_path: Path, domain: int) -> Iterator[BoardDesk]:
    made = BoardDesk(tmp_path, domain)
    yield made
    made.chip.memory[HANGING] = 0
    made.close()


def test_registers_and_pulses(desk: BoardDesk) -> None:
    desk.on()
    assert desk.chip.memory[PRESCALE] == 121
    assert desk.chip.memory[MODE1] == 0x20  # awake, addresses count on
    assert desk.chip.memory[MODE2] == 0x04  # totem pole
    desk.command = {"leg_00": 0.5, "leg_01": 0.5, "leg_10": 0.5, "leg_11": 0.5, "leg_21": 0.5}
    desk.hear_states(20)
    assert all(row == OFF for row in desk.chip.history())
    desk.up({"leg_00": 0.0})
    desk.wait(lambda: desk.chip.pulses() == pulses(NEUTRAL))
    desk.command = {"leg_00": 0.5, "leg_01": 0.5, "leg_10": 0.5, "leg_11": 0.5, "leg_21": 0.5}
    angles = {**NEUTRAL, 0: 0.5, 1: 0.6, 2: -0.6, 3: 0.4, 5: 0.5}
    desk.wait(lambda: desk.chip.pulses() == pulses(angles))
    desk.command = dict.fromkeys(SERVOS, -0.7)
    angles = {0: -0.7, 1: -0.6, 2: 0.6, 3: -0.2, 4: -0.7, 5: -0.7, 14: -0.7, 15: -0.7}
    desk.wait(lambda: desk.chip.pulses() == pulses(angles))
    # The slow servo took its time: nowhere a longer step than that of 0.5 rad/s in 0.1 s.
    slow = dict(zip(desk.states[-1].name, range(8), strict=True))["leg_20"]
    desk.wait(lambda: desk.states[-1].position[slow] == -0.7)
    assert min(state.velocity[slow] for state in desk.states) == pytest.approx(-0.5)
    desk.disarm()
    desk.wait(lambda: desk.chip.pulses() == OFF)


def test_a_message_that_is_refused_is_repeated_and_then_everything_relaxed(
    desk: BoardDesk,
) -> None:
    desk.on()
    desk.up()
    desk.chip.memory[NACKS] = 2
    desk.wait(lambda: desk.diagnostics["retries"] == "2")
    assert "Remote I/O error" not in (desk.folder / "stderr").read_text()

    desk.keeping = False
    before = int(desk.diagnostics["faults"])
    desk.chip.memory[NACKS] = 255
    desk.wait(lambda: desk.is_in("relaxed", "Remote I/O error"))
    assert desk.diagnostics["level"] == "2"
    desk.is_refused("Remote I/O error")
    desk.chip.memory[NACKS] = 0
    wait_for(lambda: desk.chip.pulses() == OFF)
    desk.wait(lambda: desk.diagnostics["fault"] == "")
    # Once for all messages, and once for a silence of a busy machine's driver before them.
    assert int(desk.diagnostics["faults"]) - before in (1, 2)
    desk.at_neutral()


def test_a_board_that_lost_its_power_for_a_moment_is_noticed(desk: BoardDesk) -> None:
    desk.on()
    desk.up()
    desk.chip.power_on()
    desk.wait(lambda: desk.is_in("relaxed", "the board was reset"))
    desk.wait(lambda: desk.diagnostics["fault"] == "")
    desk.at_neutral()
    assert desk.chip.memory[PRESCALE] == 121


def test_a_bus_that_hangs_holds_up_neither_the_node_nor_its_end(desk: BoardDesk) -> None:
    node = desk.on()
    desk.at_neutral()
    desk.keeping = False
    desk.chip.memory[HANGING] = 1
    desk.wait(lambda: desk.is_in("relaxed", "has not answered"))
    assert desk.diagnostics["hang-ups"] >= "1"
    assert desk.call(desk.stopping, Trigger.Request()).success
    desk.wait(lambda: desk.is_in("emergency stop"))
    desk.disarm()
    desk.is_refused("has not answered")
    desk.chip.memory[HANGING] = 0
    wait_for(lambda: desk.chip.pulses() == OFF)
    desk.wait(lambda: desk.diagnostics["fault"] == "")

    desk.at_neutral()
    outputs = output_process(node)
    desk.chip.memory[HANGING] = 1
    node.send_signal(signal.SIGTERM)
    assert node.wait(HANGS) == 0
    assert "CUT THE POWER OF THE SERVOS" in (desk.folder / "stderr").read_text()
    # What the node left behind relaxes them as soon as it can, and ends.
    desk.chip.memory[HANGING] = 0
    wait_for(lambda: desk.chip.pulses() == OFF or not alive(outputs.pid))
    wait_for(lambda: not alive(outputs.pid))
    assert desk.chip.pulses() == OFF


def kill_together(*processes: psutil.Process) -> None:
    """So that none of them has a last word."""
    for process in processes:
        process.suspend()  # else one would be quicker than we are
    for process in processes:
        process.kill()
    for process in processes:
        wait_for(lambda process=process: not alive(process.pid))


def processes_of(node: subprocess.Popen) -> list[psutil.Process]:
    """The driver, the process that makes its pulses, and the one that waits for that one's end."""
    driver = psutil.Process(node.pid)
    outputs = output_process(driver)
    (last,) = outputs.children()
    return [driver, outputs, last]


def test_driver_and_output_process_killed_together_leave_no_pulse(desk: BoardDesk) -> None:
    node = desk.on()
    desk.at_neutral()
    driver, outputs, last = processes_of(node)
    kill_together(driver, outputs)
    node.wait()
    wait_for(lambda: desk.chip.pulses() == OFF)
    wait_for(lambda: not alive(last.pid))
    desk.on()  # nobody holds the board
    desk.at_neutral()


def test_a_bus_that_refuses_is_asked_again_by_who_has_the_last_word(desk: BoardDesk) -> None:
    node = desk.on()
    desk.at_neutral()
    driver, outputs, _ = processes_of(node)
    desk.chip.memory[NACKS] = 20
    kill_together(driver, outputs)
    node.wait()
    wait_for(lambda: desk.chip.pulses() == OFF)


def test_an_end_in_order_leaves_nobody_waiting(desk: BoardDesk) -> None:
    node = desk.on()
    desk.at_neutral()
    processes = processes_of(node)
    node.send_signal(signal.SIGTERM)
    assert node.wait(HANGS) == 0
    for process in processes:
        wait_for(lambda process=process: not alive(process.pid))
    assert desk.chip.pulses() == OFF


def test_what_kill_left_powered_the_next_start_relaxes_first(desk: BoardDesk) -> None:
    """All three of them: then the board goes on, as one does that has no other."""
    node = desk.on()
    processes = processes_of(node)[::-1]

    def suspended() -> bool:
        """Again where the desk of a busy machine was silent before that, so that they relaxed."""
        for process in processes:
            process.resume()
        desk.at_neutral()
        for process in processes:
            process.suspend()
        return desk.chip.pulses() == pulses(NEUTRAL)

    desk.wait(suspended)
    kill_together(*processes)
    node.wait()
    assert desk.chip.pulses() == pulses(NEUTRAL)
    before = len(desk.chip.history())
    desk.on()
    assert desk.chip.history()[before] == OFF
    assert desk.chip.pulses() == OFF
    assert "relaxed: not armed yet" in (desk.folder / "stderr").read_text()


def test_a_board_that_does_not_answer_is_one_line(desk: BoardDesk) -> None:
    desk.chip.memory[NACKS] = 255
    words = ("-p", f"servos:={desk.file}")
    line = refusal("servo_driver", desk.domain, *words, env=desk.environment)
    assert "0x40" in line
    assert "Remote I/O error; check its wiring" in line
    assert "i2cdetect -y" in line


def test_hardware_that_is_driven_is_left_alone_by_whatever_name_it_goes(desk: BoardDesk) -> None:
    """And from whatever environment; of another user see test_shared_places.py."""
    desk.on()
    desk.at_neutral()
    alias = desk.folder / "alias"
    alias.symlink_to(desk.folder / "i2c")
    file = desk.folder / "alias.yaml"
    file.write_text(desk.file.read_text().replace(str(desk.folder / "i2c"), str(alias)))
    elsewhere = desk.folder / "elsewhere"
    elsewhere.mkdir()
    places = ("TMPDIR", "TMP", "HOME", "XDG_RUNTIME_DIR", "ROS_HOME")
    others = {**desk.environment, **dict.fromkeys(places, str(elsewhere))}
    before = len(desk.chip.history())
    for servos, environment in ((desk.file, desk.environment), (file, others)):
        command = [sys.executable, "-m", "bea_ros", "servo", "--joint", "leg_00"]
        said = subprocess.run(
            [*command, "--angle", "0.3", "--servos", str(servos)],
            env=environment, capture_output=True, text=True, timeout=HANGS,
        )  # fmt: skip
        assert said.returncode == 2, said
        assert "another process on this machine drives the servos" in said.stderr
    written = desk.chip.history()[before:]
    assert all(row in (OFF, pulses(NEUTRAL)) for row in written), "it moved a joint"


def test_a_bus_that_hangs_from_the_start_is_named_and_what_to_switch_off(
    desk: BoardDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in desk.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(output_link, "STARTING", 3.0)
    board = {"driver": "pca9685", "bus": str(desk.folder / "i2c"), "address": 0x40}
    board |= {"frequency": 50, "oscillator": 25_000_000}
    desk.chip.memory[HANGING] = 1
    with pytest.raises(HardwareError) as failure:
        output_link.OutputLink(board, "auto", [0])
    said = str(failure.value)
    assert said.startswith(f"PCA9685 at 0x40 of I2C bus {desk.folder / 'i2c'}: no answer for 3 s")
    assert "cannot be closed: CUT THE POWER OF THE SERVOS" in said
    assert "\n" not in said
