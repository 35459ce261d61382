# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea servo on mock pins: by arguments, by the keys of a terminal, and what it saves."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from graph import HANGS, wait_for
from operator_desk import environment
from servo_pins import pins_in

from bea_ros.__main__ import main
from bea_ros.hardware.servos import load_servos
from bea_ros.hardware.trial import ServoTrial
from bea_ros.robots import load_robot
from bea_ros.system.resources import resource_path

pytest.importorskip("gpiozero", reason="gpiozero is not installed")

BEA_SERVO = [sys.executable, "-m", "bea_ros", "servo", "--joint", "leg_11"]
US_PER_RADIAN = 490.0 / 0.785398


class Bench:
    """Processes for which hardware is files."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "pins.log"
        self.log.touch()
        self.saved = folder / "ros_home" / "servos" / "spider9.yaml"
        self.environment = environment(1, self.log)

    def run(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*BEA_SERVO, *words], env=self.environment, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=HANGS,
        )  # fmt: skip

    def has(self, angle: float) -> bool:
        pulse = 1500 + angle * US_PER_RADIAN
        return pins_in(self.log) == {25: pytest.approx(pulse, abs=0.01)}

    def trim(self) -> Any:
        return yaml.safe_load(self.saved.read_text())["servos"]["leg_11"]["trim"]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def here(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> Callable[..., tuple[int, str]]:
    """The command in this process: its exit code, and what it says on stderr."""
    for name, value in bench.environment.items():
        monkeypatch.setenv(name, value)
    return lambda *words: (main([*BEA_SERVO[3:], *words]), capsys.readouterr().err)


@pytest.fixture
def terminal(bench: Bench) -> Iterator[tuple[subprocess.Popen, int]]:
    """The command at a terminal, and that terminal's other end."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*BEA_SERVO, "--pins", "mock"], env=bench.environment, stdin=theirs, stdout=theirs
    )
    wait_for(lambda: bench.has(0.0))
    yield process, ours
    if process.poll() is None:
        process.kill()
        process.wait()
    os.close(ours)
    os.close(theirs)


def test_by_arguments(bench: Bench, here: Callable[..., tuple[int, str]]) -> None:
    said = bench.run("--pins", "mock", "--angle", "0.7854", "--hold", "0.1")  # as limits are told
    assert said.returncode == 0
    said = bench.run("--pins", "mock", "--angle", "0.3", "--trim", "0.05", "--hold", "0.1")
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines() == ["leg_11: +0.300 rad, trim +0.050 rad, 1718 us", "relaxed"]
    assert pins_in(bench.log) == {}
    assert not bench.saved.exists()
    assert here("--trim", "-0.02", "--save")[0] == 0
    assert bench.trim() == -0.02


def test_a_trim_that_no_pulse_is_for_is_neither_tried_nor_saved(
    here: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    path = tmp_path / "wide.yaml"
    values = yaml.safe_load(resource_path("config/servos/spider9.yaml").read_text())
    values["defaults"] = {"pulse": [520, 2480], "angle": [-0.785399, 0.785399]}
    path.write_text(yaml.safe_dump(values))
    for words in (["--save"], ["--pins", "mock", "--hold", "0"]):
        code, told = here("--servos", str(path), "--trim", "0.02", *words)
        assert "would need a pulse of 2505 us: allowed is 500 to 2500 us" in told
        assert code == 2
    servos = load_servos(path, load_robot("spider9"))
    with closing(ServoTrial(servos, servos.find("leg_11"), "mock")) as trial:
        trial.obey("+")
        trial.obey("+")
        assert trial.servo.trim == 0.01


def test_it_moves_no_faster_than_the_servo_may_however_often_keys_come(tmp_path: Path) -> None:
    path = tmp_path / "slow.yaml"
    values = yaml.safe_load(resource_path("config/servos/spider9.yaml").read_text())
    values["defaults"] = {"max_rate": 0.1}
    path.write_text(yaml.safe_dump(values))
    servos = load_servos(path, load_robot("spider9"))
    began = time.monotonic()
    with closing(ServoTrial(servos, servos.find("leg_11"), "mock")) as trial:
        for _ in range(100):
            trial.obey("right")
            trial.tick()
        assert 0.0 < trial.position <= 0.1 * (time.monotonic() - began)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--angle", "0.8"], "leg_11 goes from -0.7854 to 0.7854 rad"),
        (["--angle", "nan"], "leg_11 goes from"),
        (["--trim", "0.4"], "allowed is -0.35 to 0.35 rad"),
        (["--save"], "--save needs --trim"),
        (["--hold", "5"], "--hold needs --angle or --trim"),
        ([], "no terminal for keys"),
        (["--joint", "leg_77"], "unknown joint 'leg_77'; known: leg_01"),
    ],
)
def test_mistakes_are_one_line(
    bench: Bench, here: Callable[..., tuple[int, str]], words: list[str], said: str
) -> None:
    code, told = here(*words)
    assert code == 2
    (line,) = told.splitlines()
    assert said in line
    assert bench.log.read_text() == ""


def test_by_keys(bench: Bench, terminal: tuple[subprocess.Popen, int]) -> None:
    process, keys = terminal
    os.write(keys, b"\033[C\033[C\033[C\033[D")
    wait_for(lambda: bench.has(0.1))
    os.write(keys, b"++-+")
    wait_for(lambda: bench.has(0.12))
    os.write(keys, b"0")
    wait_for(lambda: bench.has(0.02))
    os.write(keys, b"s")
    wait_for(bench.saved.exists)
    os.write(keys, b"q")
    assert process.wait(HANGS) == 0
    assert bench.trim() == 0.02
    assert pins_in(bench.log) == {}


def test_killed_it_relaxes(bench: Bench, terminal: tuple[subprocess.Popen, int]) -> None:
    process, _ = terminal
    process.send_signal(signal.SIGKILL)
    wait_for(lambda: pins_in(bench.log) == {})


def test_without_its_terminal_it_relaxes(bench: Bench) -> None:
    ours, theirs = pty.openpty()
    said = bench.log.with_name("said")
    with said.open("w") as output:
        process = subprocess.Popen(
            [*BEA_SERVO, "--pins", "mock"], env=bench.environment, stdin=theirs, stdout=output
        )
    os.close(theirs)
    try:
        wait_for(lambda: bench.has(0.0))
        os.close(ours)
        assert process.wait(HANGS) == 0
    finally:
        process.kill()
        process.wait()
    assert pins_in(bench.log) == {}
    assert said.read_text().endswith("\nrelaxed\n")
