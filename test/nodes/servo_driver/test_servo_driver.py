# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The servo driver on gpiozero's mock pins: pulses, arming, and everything that relaxes."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
from dataclasses import replace

import psutil
import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped
from graph import HANGS, alive, config, ending, nodes_of, start, wait_for
from guest import in_this_process
from operator_desk import BUSY, Desk
from sensor_msgs.msg import BatteryState
from servo_pins import NEUTRAL, PINS, lines_of, output_process
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from bea_ros.hardware.servos import load_servos, servos_path
from bea_ros.nodes.servo_driver import ServoDriver
from bea_ros.nodes.shared.robot.settings import checksum
from bea_ros.robots import load_robot

pytest.importorskip("gpiozero", reason="gpiozero is not installed")
pytestmark = pytest.mark.graph

US_PER_RADIAN = 490.0 / (math.pi / 4)


def test_pulses_for_angles_once_armed(desk: Desk) -> None:
    desk.start("pins:=mock", "neutral_speed:=5.0")
    desk.command = {"leg_00": 0.5, "leg_11": 0.5}
    desk.hear_states(20)
    assert desk.pins() == {}  # nothing moves before it is armed
    assert all(p == 0.0 for state in desk.states for p in state.position)
    desk.wait(lambda: set(desk.armed) == {False})

    desk.up(desk.command)
    desk.wait(lambda: desk.armed[-1])
    expected = dict(NEUTRAL)
    expected[27] = pytest.approx(1500.0 - 0.5 * US_PER_RADIAN, abs=0.01)  # inverse
    expected[25] = pytest.approx(1500.0 + 0.5 * US_PER_RADIAN, abs=0.01)
    desk.wait(lambda: desk.pins() == expected)
    told = {**dict.fromkeys(PINS, 0.0), "leg_00": 0.5, "leg_11": 0.5}
    desk.wait(
        lambda: dict(zip(desk.states[-1].name, desk.states[-1].position, strict=True)) == told
    )

    desk.command = {"leg_00": 3.0, "leg_11": -3.0}  # beyond the limits of +-45 degrees
    expected[27] = expected[25] = pytest.approx(1010.0, abs=0.01)
    desk.wait(lambda: desk.pins() == expected)
    frequencies = {line.split(",")[1].strip() for line in lines_of(desk.pins_log)}
    assert frequencies == {"50.0", "null"}

    # What cannot be meant is refused, all of it, and told.
    for wrong in ({"leg_00": math.nan, "leg_01": 0.3}, {"leg_77": 0.3, "leg_01": 0.3},
                  {"leg_00": math.inf}, {}):  # fmt: skip
        desk.is_refused_to_play(wrong)
    desk.wait(lambda: desk.pins() == expected)
    assert "refused: position of leg_00 is nan" in (desk.folder / "stderr").read_text()

    # A reset succeeds at neutral, wherever the command is by then.
    desk.command = {"leg_11": 0.0, "leg_00": 0.0}
    answer = desk.call(desk.resetting, Trigger.Request())
    assert answer.success
    robot = load_robot("spider9")
    servos = load_servos(servos_path("spider9"), robot)
    assert (
        answer.message == f"robot {robot.check}, servos {checksum((servos.board, servos.servos))}"
    )
    trimmed = (replace(servos.servos[0], trim=0.02), *servos.servos[1:])
    assert checksum((servos.board, trimmed)) not in answer.message
    desk.wait(lambda: desk.pins() == NEUTRAL)


def test_who_commands_may_be_held_up_for_a_quarter_of_a_second(desk: Desk) -> None:
    desk.start("pins:=mock", "stagger:=0.0", "neutral_speed:=5.0")
    plan = [0.1, 0.2, 0.3, 0.4, 0.5]

    def played() -> list[float]:
        """What the joint does after one message alone, before the silence counts."""
        desk.up({"leg_00": 0.0})
        desk.command, desk.keeping = None, False
        desk.states.clear()
        desk.send_plan("leg_00", plan, 0.05)
        desk.wait(lambda: desk.is_in("relaxed"))
        return [state.position[list(state.name).index("leg_00")] for state in desk.states]

    # Again where a busy machine's update came too late for one of them.
    desk.wait(lambda: set(plan) <= set(played()))


def test_every_reason_to_relax_needs_arming_again(desk: Desk) -> None:
    desk.start("pins:=mock", "stagger:=0.0", "battery.minimum_voltage:=6.0")

    desk.up({"leg_00": 0.2})
    desk.disarm()
    desk.wait(lambda: desk.is_in("relaxed", "disarmed"))
    desk.wait(lambda: desk.pins() == {})

    desk.up()
    desk.command, desk.keeping = None, False
    desk.wait(lambda: desk.is_in("relaxed"))
    assert any(reason in desk.diagnostics["reason"] for reason in BUSY)
    desk.wait(lambda: desk.pins() == {})
    desk.command = {"leg_00": 0.2}  # commands alone do not bring it back
    desk.hear_states(20)
    assert desk.pins() == {}

    desk.up(keeping=False)
    assert desk.call(desk.stopping, Trigger.Request()).success
    desk.wait(lambda: desk.is_in("emergency stop", "service"))
    assert desk.diagnostics["level"] == "2"
    desk.wait(lambda: desk.pins() == {})
    desk.is_refused("emergency stop: disarm first")
    answer = desk.call(desk.resetting, Trigger.Request())
    assert not answer.success
    assert answer.message.startswith(
        "emergency stop: asked for by service; to arm: first bea operator"
    )
    desk.disarm()

    desk.up(keeping=False)
    desk.stops.publish(Bool(data=True))
    desk.wait(lambda: desk.is_in("emergency stop", "topic"))
    desk.stops.publish(Bool(data=False))  # does not let go of it
    assert not desk.arm().success
    desk.wait(lambda: desk.pins() == {})
    desk.disarm()

    desk.up(keeping=False)
    desk.batteries.publish(BatteryState(voltage=5.5, percentage=math.nan))
    desk.wait(lambda: desk.is_in("relaxed", "battery low: 5.50 V"))
    desk.wait(lambda: desk.pins() == {})
    desk.is_refused("battery low: 5.50 V")
    desk.batteries.publish(BatteryState(voltage=7.4, percentage=0.05))
    desk.is_refused("battery low: 5 %")
    seen = len(desk.states)
    desk.batteries.publish(BatteryState(voltage=math.nan, percentage=math.nan))
    desk.wait(lambda: len(desk.states) > seen + 20)
    desk.is_refused("battery low: 5 %")  # what is not known changes nothing
    desk.batteries.publish(BatteryState(voltage=7.4, percentage=0.9))
    desk.wait(lambda: desk.arm().success)


def test_a_fault_that_is_over_with_the_next_answer_relaxes(
    domain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with in_this_process(ServoDriver, domain, "-p", "pins:=mock") as driver:
        driver.control.arm(time.monotonic())
        send, poll = driver.link.send, driver.link.poll

        def refused(pulses: dict[int, float]) -> None:
            send(pulses)
            driver.link.fault = "a message was refused"

        def good_again(patience: float = 0.0) -> None:
            poll(patience)
            driver.link.fault = ""

        monkeypatch.setattr(driver.link, "send", refused)
        monkeypatch.setattr(driver.link, "poll", good_again)
        driver.update()
        driver.update()
        assert not driver.control.armed
        assert driver.control.reason == "a message was refused"


def test_arming_moves_to_neutral_slowly_one_servo_after_another(desk: Desk) -> None:
    desk.start("pins:=mock", "neutral_speed:=0.5", "stagger:=0.05")
    desk.up({"leg_11": 0.6})
    left = pytest.approx(1500 + 0.6 * US_PER_RADIAN, abs=0.01)
    desk.wait(lambda: desk.pins().get(25) == left and desk.states[-1].position[-1] == 0.6)
    desk.disarm()
    desk.wait(lambda: desk.pins() == {})
    desk.pins_log.write_text("")
    seen = len(desk.states)
    desk.up({"leg_11": 0.0})
    desk.wait(lambda: desk.states[-1].position[-1] == 0.0)  # "following" may come before it
    way = desk.states[seen:]
    assert way[0].name[-1] == "leg_11"
    assert way[0].position[-1] > 0.4  # from where it was left; the first states may be lost
    assert min(state.velocity[-1] for state in way) == pytest.approx(-0.5)
    # The pulses come from another process, a moment later.
    desk.wait(lambda: desk.pins().get(25) == pytest.approx(1500.0, abs=0.01))
    written = [json.loads(line) for line in lines_of(desk.pins_log)]
    pulses = [state / 50 * 1e6 for pin, _, state, _ in written if pin == 25 and state]
    # A busy machine leaves out steps, and relaxes after those of half a second.
    assert pulses[0] > 1500 + 0.2 * US_PER_RADIAN
    assert pulses == sorted(pulses, reverse=True)
    assert len(set(pulses)) > 5
    assert pulses[-1] == pytest.approx(1500.0, abs=0.01)
    first = dict.fromkeys(pin for pin, frequency, *_ in written if frequency)
    assert list(first) == [PINS[joint] for joint in way[0].name]


def test_the_operator_arms_and_stops_without_ros2cli(desk: Desk) -> None:
    desk.start("pins:=mock", "neutral_speed:=5.0", "stagger:=0.0")

    def operator(request: str) -> tuple[int, str]:
        words = [sys.executable, "-m", "bea_ros", "operator", request]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        process = subprocess.Popen(words, env=desk.environment, **pipes)
        desk.wait(lambda: process.poll() is not None)  # the joints are commanded meanwhile
        return process.returncode, process.communicate()[0]

    desk.command = {"leg_00": 0.2}
    armed = ((0, "moving to neutral\n"), (0, "following\n"))
    desk.wait(lambda: operator("arm") in armed)  # a busy machine may refuse it at first
    desk.keeping = True
    desk.wait(lambda: desk.is_in("following") and desk.powered())
    desk.keeping = False
    assert operator("disarm") == (0, "relaxed\n")
    desk.wait(lambda: desk.pins() == {})
    code, said = operator("stop")
    assert code == 0
    assert said.startswith("emergency stop: asked for by service; to arm: first bea operator")
    desk.wait(lambda: operator("arm") == (1, "emergency stop: disarm first\n"))
    assert desk.process
    desk.process.kill()
    code, said = operator("stop")
    assert (code, said.split(" at ")[0]) == (1, "bea operator: no servo driver answers")


def test_a_reset_waits_for_the_operator_to_arm(desk: Desk) -> None:
    desk.start("pins:=mock", f"reset_patience:={HANGS}.0")
    desk.command = {"leg_00": 0.3}
    reset = desk.resetting.call_async(Trigger.Request())
    desk.hear_states(10)
    assert not reset.done()
    assert desk.pins() == {}
    desk.wait(lambda: desk.arm().success)
    desk.keeping = True
    desk.wait(reset.done)
    assert reset.result().success


def test_a_learner_waits_for_arming_and_moves_the_servos(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-m", "bea_ros", "learn", "--robot-backend", "hardware"]
    mock = config(desk.folder, servo_driver={"pins": "mock"})
    command += ["--config", mock, "--output", str(desk.folder / "run"), "--evaluations", "10"]
    for name, value in desk.environment.items():
        monkeypatch.setenv(name, value)
    with ending(start(command)) as learning:
        desk.wait(lambda: set(desk.armed) == {False})
        assert desk.pins() == {}
        desk.wait(desk.arming.service_is_ready)
        resume = desk.node.create_client(Trigger, "learner/resume")
        poses = desk.node.create_publisher(PoseWithCovarianceStamped, "pose", 1)

        def seen_and_willing() -> None:  # should the learner have given up waiting
            pose = PoseWithCovarianceStamped()
            pose.header.stamp = desk.node.get_clock().now().to_msg()
            pose.pose.pose.orientation.w = 1.0
            poses.publish(pose)
            resume.call_async(Trigger.Request())

        desk.node.create_timer(0.2, seen_and_willing)
        desk.hear_states(50)
        assert desk.pins() == {}
        desk.wait(lambda: desk.arm().success)
        desk.keeping = True
        still = dict(NEUTRAL)
        desk.wait(lambda: desk.pins().keys() == still.keys() and desk.pins() != still)
        outputs = output_process(psutil.Process(nodes_of(learning)["servo_driver"]))
        learning.send_signal(signal.SIGINT)
        assert learning.wait(HANGS) == 130
        wait_for(lambda: not alive(outputs.pid))
        assert desk.pins() == {}
