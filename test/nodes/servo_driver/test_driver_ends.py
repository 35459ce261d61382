# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""However the servo driver ends, or if it cannot start: the servos are relaxed."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from graph import HANGS, after, alive, refusal, wait_for
from operator_desk import Desk
from servo_pins import NEUTRAL, output_process
from std_srvs.srv import SetBool

from bea_ros.nodes.shared.stopping import OVERDUE

pytest.importorskip("gpiozero", reason="gpiozero is not installed")
pytestmark = pytest.mark.graph


@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT", "SIGSEGV", "SIGKILL"])
def test_whatever_signal_ends_it_the_servos_are_relaxed(desk: Desk, number: str) -> None:
    node = desk.start("pins:=mock", "stagger:=0.0")
    desk.up()
    desk.wait(lambda: desk.pins() == NEUTRAL)
    child = output_process(node)
    node.send_signal(signal.Signals[number])
    code = node.wait(HANGS)
    assert code == (0 if number in ("SIGTERM", "SIGINT") else -signal.Signals[number])
    wait_for(lambda: not alive(child.pid))
    assert desk.pins() == {}
    assert "Traceback" not in (desk.folder / "stderr").read_text()


def test_a_node_that_is_frozen_or_loses_its_output_process_relaxes(desk: Desk) -> None:
    node = desk.start("pins:=mock", "stagger:=0.0")
    desk.up()
    desk.wait(lambda: desk.pins() == NEUTRAL)
    desk.keeping = False
    node.send_signal(signal.SIGSTOP)
    wait_for(lambda: desk.pins() == {})
    node.send_signal(signal.SIGCONT)
    desk.wait(lambda: desk.is_in("relaxed"))  # though commands come at once
    assert desk.pins() == {}

    desk.up()
    child = output_process(node)
    desk.keeping = False
    child.kill()
    desk.wait(lambda: desk.is_in("relaxed", "killed by SIGKILL"))
    # There is another one, which has relaxed what was left.
    desk.wait(lambda: desk.arm().success)
    desk.keeping = True
    desk.wait(lambda: desk.pins() == NEUTRAL)
    assert output_process(node).pid != child.pid
    assert desk.diagnostics["restarts"] == "1"


def test_a_driver_that_hung_does_not_arm_by_what_was_asked_long_ago(desk: Desk) -> None:
    """Whoever asked got no answer, and may have a hand at the robot."""
    driver = desk.start("pins:=mock", "stagger:=0.0")
    desk.command = {"leg_00": 0.3}
    driver.send_signal(signal.SIGSTOP)
    answer = desk.arming.call_async(SetBool.Request(data=True))
    desk.wait(after(OVERDUE + 1.0))
    driver.send_signal(signal.SIGCONT)
    desk.wait(answer.done)
    assert not answer.result().success
    assert "s ago: ask again" in answer.result().message
    assert desk.pins() == {}
    desk.up()


def test_several_signals_at_once_do_not_keep_the_output_process_from_relaxing(desk: Desk) -> None:
    """As at the end of a session, which brings SIGTERM and SIGHUP."""
    node = desk.start("pins:=mock", "stagger:=0.0")
    desk.up()
    child = output_process(node)
    desk.keeping = False
    child.suspend()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        child.send_signal(number)
    child.resume()
    desk.wait(lambda: desk.is_in("relaxed", "drives the servos ended"))
    assert "exit code 0" in desk.diagnostics["reason"]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("servos:=/nowhere.yaml", "/nowhere.yaml cannot be read"),
        ("pins:=wooden", "parameter pins is 'wooden': allowed is one of auto, lgpio"),
        ("use_sim_time:=true", "a real robot's time is the system's"),
        ("robot:=gecko7", "bus 1 cannot be opened"),
    ],
)
def test_what_it_cannot_start_with_is_one_line(domain: int, word: str, said: str) -> None:
    if Path("/dev/i2c-1").exists():
        pytest.skip("this machine has an I2C bus")
    assert said in refusal("servo_driver", domain, "-p", word)
