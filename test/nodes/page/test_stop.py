# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""STOP on the page, and the real servo driver on emulated pins: who says that it has stopped."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from operator_desk import Desk
from page_client import Looker, PageProcess
from servo_pins import output_process
from std_srvs.srv import SetBool

from bea_ros.nodes.page.desk import Desk as PageDesk
from bea_ros.nodes.page.stopping import (
    CONFIRMED,
    NONE,
    PATIENCE,
    REPEATED,
    SENT,
    UNCONFIRMED,
    Servos,
    Stopping,
)

pytest.importorskip("gpiozero", reason="gpiozero is not installed")
graph = pytest.mark.graph


@pytest.fixture
def looker(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Looker]:
    """It listens while the desk waits, too: the page leaves who is silent for half a minute."""
    alone = desk.spin
    with (
        closing(PageProcess(desk.domain, "robot_backend:=hardware")) as process,
        closing(Looker(process.address)) as made,
    ):
        monkeypatch.setattr(desk, "spin", lambda: (alone(), made.take(0.001)))
        yield made


def state_of(looker: Looker) -> str:
    return str((looker.now.get("servos") or {}).get("state"))


def stop_of(looker: Looker) -> str:
    return str(looker.now["stop"]["state"]) if looker.now else ""


@graph
def test_stop_is_confirmed_by_the_driver_and_ended_by_disarming(
    desk: Desk, looker: Looker
) -> None:
    desk.start("pins:=mock", "neutral_speed:=5.0")
    desk.up()
    looker.wait(lambda: state_of(looker) == "following", desk.spin)
    desk.keeping = False
    looker.ask("stop", desk.spin)
    looker.wait(lambda: stop_of(looker) == CONFIRMED, desk.spin)
    assert not desk.powered()
    assert looker.now["servos"]["state"] == "emergency stop"

    def refused() -> bool:
        # A STOP is repeated until the page knows that it is confirmed: the last one may come now.
        answer = looker.ask("arm", desk.spin)
        assert not answer["done"], "a stop is latched"
        return "first" in answer["text"]

    looker.wait(refused, desk.spin)
    looker.wait(lambda: looker.ask("disarm", desk.spin)["done"], desk.spin)
    looker.wait(lambda: stop_of(looker) == NONE, desk.spin)
    looker.wait(lambda: looker.ask("arm", desk.spin)["done"], desk.spin)
    desk.keeping = True
    looker.wait(lambda: state_of(looker) != "relaxed", desk.spin)


@graph
def test_a_driver_that_hangs_confirms_nothing(desk: Desk, looker: Looker) -> None:
    driver = desk.start("pins:=mock", "neutral_speed:=5.0")
    looker.wait(lambda: looker.now.get("servos"), desk.spin)
    driver.send_signal(signal.SIGSTOP)
    looker.ask("stop", desk.spin)
    looker.wait(lambda: stop_of(looker) == UNCONFIRMED, desk.spin)
    looker.wait(lambda: looker.now["stop"]["reason"] == "the servo driver is silent", desk.spin)
    assert stop_of(looker) == UNCONFIRMED
    driver.send_signal(signal.SIGCONT)
    looker.wait(lambda: stop_of(looker) == CONFIRMED, desk.spin)


@graph
def test_somebody_elses_diagnostics_confirm_nothing(desk: Desk, looker: Looker) -> None:
    """As of a recording that is played, in which the robot was stopped."""
    driver = desk.start("pins:=mock", "neutral_speed:=5.0")
    following = False
    while not following:  # a busy machine may relax the servos before the driver hangs
        driver.send_signal(signal.SIGCONT)
        desk.up()
        looker.wait(lambda: state_of(looker) == "following", desk.spin)
        desk.keeping = False
        driver.send_signal(signal.SIGSTOP)
        desk.listen(1.0)  # to its last word
        following = desk.armed[-1]
    values = {"state": "emergency stop", "reason": "", "fault": "", "pulses": "none"}
    status = DiagnosticStatus(name="servo_driver: servos", level=DiagnosticStatus.ERROR)
    status.values = [KeyValue(key=key, value=value) for key, value in values.items()]
    played = desk.node.create_publisher(DiagnosticArray, "/diagnostics", 10)
    looker.ask("stop", desk.spin)

    def told(state: str) -> bool:
        played.publish(DiagnosticArray(status=[status]))
        desk.spin()
        return stop_of(looker) == state

    looker.wait(lambda: told(UNCONFIRMED))
    late = time.monotonic() + 2.0
    looker.wait(lambda: told(CONFIRMED) or time.monotonic() > late)
    assert stop_of(looker) == UNCONFIRMED
    assert looker.now["stop"]["reason"] == "the servo driver does not say that it is disarmed"
    driver.send_signal(signal.SIGCONT)
    looker.wait(lambda: told(CONFIRMED), desk.spin)


@graph
def test_a_bus_that_hangs_confirms_nothing(desk: Desk, looker: Looker) -> None:
    driver = desk.start("pins:=mock", "neutral_speed:=5.0")
    pins = output_process(driver)
    looker.wait(lambda: looker.now.get("servos"), desk.spin)

    def hangs_with_power() -> bool:
        """A busy machine may relax the servos before."""
        pins.resume()
        desk.up(keeping=False)
        pins.suspend()
        return desk.powered()

    desk.wait(hangs_with_power)
    looker.ask("stop", desk.spin)
    looker.wait(lambda: stop_of(looker) == UNCONFIRMED, desk.spin)
    looker.wait(lambda: "servos" in looker.now["stop"]["reason"], desk.spin)
    assert stop_of(looker) == UNCONFIRMED
    assert desk.powered(), "nothing has relaxed them"
    pins.resume()
    looker.wait(lambda: stop_of(looker) == CONFIRMED, desk.spin)
    assert not desk.powered()


@graph
def test_what_was_asked_before_a_stop_does_not_come_after_it(desk: Desk) -> None:
    """The page's server takes requests while its node is held up; only STOP does not wait."""
    desk.start("pins:=mock")
    page, said = PageDesk(desk.node, simulated=False), {}
    desk.wait(lambda: desk.node.count_subscribers("emergency_stop") >= 2)
    for what in ("disarm", "arm", "stop"):
        page.ask(what, lambda done, words, what=what: said.update({what: (done, words)}))
    desk.wait(lambda: (page.work(), len(said) == 3 and desk.is_in("emergency stop"))[1])
    refused = (False, "asked for before STOP was pressed: ask again")
    assert said == {"disarm": refused, "arm": refused, "stop": (True, "sent")}


def armed(desk: Desk, on: bool) -> bool:
    """Whether the driver did it; a request that only the dead driver got has no answer."""
    answer = desk.arming.call_async(SetBool.Request(data=on))
    return desk.within(2.0, answer.done) and bool(answer.result().success)


@graph
def test_a_driver_that_starts_again_is_stopped(desk: Desk, looker: Looker) -> None:
    """Killed before it heard STOP, and started again later than the page repeats it anyway."""
    driver = desk.start("pins:=mock", "neutral_speed:=5.0")
    looker.wait(lambda: looker.now.get("servos"), desk.spin)
    driver.kill()
    driver.wait()
    looker.ask("stop", desk.spin)
    looker.wait(lambda: stop_of(looker) == UNCONFIRMED, desk.spin)
    late = time.monotonic() + REPEATED
    looker.wait(lambda: time.monotonic() > late, desk.spin)
    for _ in range(2):  # the second time it was stopped already
        driver.kill()
        driver.wait()
        driver = desk.start("pins:=mock", "neutral_speed:=5.0")
        desk.wait(lambda: desk.is_in("emergency stop", "topic"))
        looker.wait(lambda: stop_of(looker) == CONFIRMED, desk.spin)  # the dead one left
    # Again where the page had not seen the driver's stop yet, and so repeated its own.
    looker.wait(lambda: armed(desk, False) and stop_of(looker) == NONE, desk.spin)
    driver.kill()
    driver.wait()
    desk.start("pins:=mock", "neutral_speed:=5.0")
    desk.wait(lambda: armed(desk, True))  # nobody stops it again


def servos(state: str = "emergency stop", fault: str = "", pulses: bool = False) -> Servos:
    return Servos(state, "", fault, pulses, 0, time.monotonic())


@pytest.mark.parametrize(
    ("said", "drivers", "reason"),
    [
        (None, 1, "no servo driver answers"),
        (servos, 0, "no servo driver answers"),
        (servos, 2, "2 servo drivers run"),
        (lambda: servos(fault="the bus hangs"), 1, "the bus hangs"),
        (lambda: servos(state="following"), 1, "the servos say: following"),
        (lambda: servos(pulses=True), 1, "the servos have not answered yet"),
    ],
)
def test_what_is_no_confirmation(
    said: object, drivers: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Stopping(simulated=False)
    before = servos()
    one.press()
    one.look(before, stands=True, drivers=1)
    assert one.state == SENT, "what the driver said before the press is no answer to it"
    now = time.monotonic()
    for passed, state in ((0.0, SENT), (PATIENCE + 0.1, UNCONFIRMED)):
        monkeypatch.setattr(time, "monotonic", lambda passed=passed: now + passed)
        one.look(said() if callable(said) else None, stands=True, drivers=drivers)
        assert one.state == (UNCONFIRMED if drivers == 0 else state)
        assert one.reason.startswith(reason)
    one.look(servos(), stands=False, drivers=1)
    assert one.state == CONFIRMED
    one.look(servos(fault="the bus hangs"), stands=False, drivers=1)
    assert one.state == UNCONFIRMED, "it holds no longer"


def test_of_a_simulated_robot_the_learner_is_asked() -> None:
    one = Stopping(simulated=True)
    one.press()
    one.look(None, stands=False, drivers=0)
    assert one.state == SENT
    one.look(None, stands=True, drivers=0)
    assert one.state == CONFIRMED
    one.look(None, stands=False, drivers=0)
    assert one.state == NONE
