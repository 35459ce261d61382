# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: what it shows, and that its buttons do what they say."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from bea_ros_interfaces.msg import LearnerStatus
from browser import Browser, holds_within
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from graph import after, evaluations_in, kill_all, learn_command, wait_for
from operator_desk import Desk
from page_client import PageProcess, printed_address

from bea_ros.nodes.shared.qos import LATCHED

pytestmark = pytest.mark.graph
EVIL = "<img src=x onerror=\"document.title='hacked'\"><script>document.title='hacked'</script>"
STOPPED = re.compile(r"stopped at \d\d:\d\d:\d\d: the servos get no pulses")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "said"


@pytest.fixture
def run(tmp_path: Path, log: Path) -> Iterator[Path]:
    """A run that learns slowly, with somebody beside it."""
    beside = ("--operator", "present", "--confirm", "0")
    slow = ("--algorithm", "bo", "--real-time-factor", "2", *beside)
    command = [*learn_command(tmp_path / "run", 4000, 1, *slow), "--page", "local"]
    with log.open("w") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True)
    yield tmp_path / "run"
    kill_all(process)


def test_a_run_is_seen_and_steered(browser: Browser, run: Path, log: Path) -> None:
    browser.open(printed_address(log).whole)
    browser.wait_for("#state", "learning")
    browser.wait_for("#evaluation", "of 4000")
    browser.wait_for("#trying", "evaluation")
    browser.wait(lambda: browser.script("return document.querySelector('#camera').naturalWidth"))
    browser.wait(lambda: browser.element(".arena .path").get_attribute("points"))
    browser.wait(lambda: browser.element(".arena .best").get_attribute("points"))
    browser.wait(lambda: len(browser.driver.find_elements("css selector", ".uplot")) == 2)
    browser.wait_for("#stages", "initial")
    assert len(browser.driver.find_elements("css selector", ".joint")) == 8
    assert not browser.element("[data-ask=arm]").is_displayed(), "a simulated robot has no servos"
    for width in (360, 390, 800, 1280, 1600):
        browser.resize(width)
        browser.wait(lambda: not browser.overflow())
        assert browser.in_view("#stop")
    browser.resize(390)
    to_the_end = "scrollTo(0, document.body.scrollHeight)"  # which lies lower once it is resized
    browser.wait(lambda: browser.script(to_the_end) or browser.in_view(".joint:last-child"))
    assert browser.in_view("#stop"), "the footer is not above the last joint"

    browser.ask("[data-ask=pause]", lambda: "paused" in browser.text("#state"))
    browser.wait_for("#waiting", "is interrupted by the operator")
    browser.hold("[data-ask=repeat]", lambda: "measured again" in browser.text("#answer"))
    resumes = "Resume: the learner resumes"
    browser.ask("[data-ask=resume]", lambda: resumes in browser.text("#answer"))
    browser.wait_for("#state", "learning")
    wait_for(lambda: "is measured again: the operator doubts it" in log.read_text())
    hint = "Skip: hold it for a second"
    browser.ask("[data-ask=skip]", lambda: hint in browser.text("#answer"))

    def skipped() -> bool:
        time.sleep(1.1)  # held on and on, as by somebody who waits for the answer
        return "hold" not in browser.text("#answer") and "Skip: " in browser.text("#answer")

    browser.hold("[data-ask=skip]", skipped)
    assert "hold it" not in browser.text("#answer"), "it was held"
    still = "the simulated robot stands still since"
    browser.ask("#stop", lambda: still in browser.text("#stopped"))
    # Until then: its answer may come too late, and soon another page may have this address.
    ended = "The run has ended (stopped), and this page with it."
    browser.hold("[data-ask=abort]", lambda: ended in browser.text("#lost"))
    assert browser.text("#stop") == "the run has ended", "a simulated robot cannot be stopped now"
    assert browser.element("#state").get_attribute("data-state") == "stopped", "nothing was lost"
    assert evaluations_in(run) < 4000
    assert not [m for m in browser.mistakes() if "WebSocket connection" not in m]


def test_arm_stop_and_disarm_a_real_robot(browser: Browser, desk: Desk, page: PageProcess) -> None:
    pytest.importorskip("gpiozero", reason="gpiozero is not installed")
    desk.start("pins:=mock", "neutral_speed:=5.0")
    desk.command = {"leg_00": 0.0}
    turn = desk.spin
    browser.open(page.address.whole)
    browser.wait_for("#servos", "relaxed: not armed yet", turn)
    assert "no replacement for a hardware switch: the red one" in browser.text("#switch")

    def armed() -> bool:
        for _ in range(10):  # else the driver's clock runs out while the browser is asked
            turn()
        return "following" in browser.text("#servos")

    desk.keeping = True  # what the page has armed
    browser.hold("[data-ask=arm]", armed)
    browser.wait(desk.powered, turn)
    desk.keeping = False
    browser.script("document.querySelector('#stop').focus()")
    browser.element("#stop").send_keys("\ue007")  # Enter
    browser.wait(lambda: STOPPED.search(browser.text("#stopped")), turn)
    assert not desk.powered()
    hint = "hold it for a second"
    browser.ask("[data-ask=disarm]", lambda: (turn(), hint in browser.text("#answer"))[1])
    assert STOPPED.search(browser.text("#stopped"))
    browser.script("document.querySelector('[data-ask=disarm]').click()")  # as screen readers do
    browser.wait_for("#answer", "press again", turn)

    def disarmed() -> bool:
        turn()
        return "relaxed: disarmed" in browser.text("#servos")

    def pressed() -> bool:  # again where the second press came later than the page allows
        browser.script("document.querySelector('[data-ask=disarm]').click()")
        return holds_within(2.0, disarmed)

    browser.wait(pressed)
    browser.wait(lambda: not browser.text("#stopped"), turn)


def test_a_key_stops_also_after_a_finger_that_slid_off_the_button(
    browser: Browser, page: PageProcess
) -> None:
    browser.open(page.address.whole)
    browser.wait_for("#link", "connected")
    browser.script(
        """const send = WebSocket.prototype.send;
        window.stops = 0;
        WebSocket.prototype.send = function (text) {
          window.stops += text.includes('"stop"');
          send.call(this, text);
        };"""
    )
    browser.slide("#stop", "#title")
    browser.wait(lambda: browser.script("return stops") >= 1)
    browser.script("document.querySelector('#stop').focus()")
    browser.element("#stop").send_keys("\ue007")  # Enter
    browser.wait(lambda: browser.script("return stops") >= 2)


def test_who_looks_has_no_buttons_and_a_wrong_token_is_said(
    browser: Browser, common_page: PageProcess
) -> None:
    browser.open(common_page.address.root)
    browser.wait_for("#stop", "looking only")
    for button in browser.driver.find_elements("css selector", "button"):
        assert not button.is_enabled()
    browser.open(common_page.address.root + "#wrong")
    browser.wait_for("#lost", "the token of this address is wrong")


def test_a_stop_that_leaves_the_motors_power_says_so(browser: Browser, desk: Desk) -> None:
    """ros2_control holds the joints: who reads of no pulses would reach into the robot."""
    with closing(PageProcess(desk.domain, "robot_backend:=ros2_control")) as page:
        browser.open(page.address.whole)
        browser.wait_for("#link", "connected", desk.spin)
        confirmed = "operator.showStop({ state: 'confirmed', at: 0 });"
        said = browser.script(f"{confirmed} return document.querySelector('#stopped').textContent")
    assert said.endswith("the joints stand still, and their motors have power")


def test_every_button_is_reached_and_held_by_the_keyboard(
    browser: Browser, common_page: PageProcess
) -> None:
    browser.open(common_page.address.whole, height=520)
    browser.wait_for("#link", "connected")
    focused = "return document.activeElement.dataset.ask || document.activeElement.id"
    order = ["pause", "resume", "skip", "repeat", "abort", "arm", "disarm", "stop"]
    for name in order:
        browser.press("Tab", 9)
        assert browser.script(focused) == name
        assert browser.in_view(f"#{name}" if name == "stop" else f"[data-ask={name}]")
        outline = "return getComputedStyle(document.activeElement).outlineStyle"
        assert browser.script(outline) == "solid"
    for name in order[2:-1]:
        browser.script("document.querySelector(arguments[0]).focus()", f"[data-ask={name}]")
        what = name.capitalize()
        browser.press("Enter", 13, lambda w=what: f"{w}: no " in browser.text("#answer"))


def test_what_stays_the_same_is_said_once_and_silence_is_said(
    browser: Browser, desk: Desk, common_page: PageProcess
) -> None:
    """Screen readers say what changes, and a node that has died says nothing wrong."""
    told = LearnerStatus(robot="spider9", task="gait", stage="initial", message="why",
                         state="waiting", budget=2)  # fmt: skip
    tracking = DiagnosticStatus(name="camera_localization: tracking", message="robot seen")
    learner = desk.node.create_publisher(LearnerStatus, "learner/status", LATCHED)
    camera = desk.node.create_publisher(DiagnosticArray, "/diagnostics", 10)
    browser.open(common_page.address.whole)

    def turn() -> None:
        learner.publish(told)
        camera.publish(DiagnosticArray(status=[tracking]))
        desk.spin()

    browser.wait_for("#waiting", "waiting: why", turn)
    browser.wait_for("#tracking", "robot seen", turn)
    browser.script(
        """window.changed = [];
        const observer = new MutationObserver((all) => changed.push(all[0].target.id));
        for (const place of ["state", "waiting", "tracking", "evaluation"])
          observer.observe(look.byId(place), { childList: true, subtree: true });"""
    )
    wait_for(after(2.0), turn)
    assert browser.script("return changed") == []
    browser.wait_for("#state", "learner silent since")
    browser.wait_for("#tracking", "silent since")


def test_a_chart_has_room_for_its_numbers(browser: Browser, common_page: PageProcess) -> None:
    browser.open(common_page.address.whole)
    browser.wait_for("#link", "connected")
    room = browser.script(
        """const chart = charts.gain(look.byId("gain"), () => "m/s");
        chart.show([1, 2, 3].map((i) => ({ number: i, stage: "initial", gain: 1e-5 * i })));
        return new Promise((drawn) => setTimeout(drawn)).then(() => {
          const [, axis] = chart.plot.axes, { ctx } = chart.plot;
          const widths = axis._values.map((text) => ctx.measureText(text).width);
          return axis._size - 15 - Math.max(...widths);
        });"""
    )
    assert room >= 0


def test_names_are_text_and_buttons_have_names(
    browser: Browser, desk: Desk, common_page: PageProcess
) -> None:
    told = LearnerStatus(robot=EVIL, task=EVIL, stage=EVIL, message=EVIL, state="waiting",
                         evaluation=1, budget=2, fitness=1.0)  # fmt: skip
    publisher = desk.node.create_publisher(LearnerStatus, "learner/status", LATCHED)
    browser.open(common_page.address.whole, width=1280)

    def turn() -> None:
        publisher.publish(told)
        desk.spin()

    for place in ("#title", "#waiting", "#stage", "#stages"):
        browser.wait_for(place, EVIL, turn)
    told.message = "the servos are relaxed; to arm: first bea operator disarm (or: ros2 ...)"
    browser.wait_for("#waiting", "the servos are relaxed; to arm: hold Disarm, then Arm", turn)
    assert "hacked" not in browser.driver.title
    assert not browser.script("return document.querySelectorAll('body img:not(#camera)').length")
    assert not [m for m in browser.mistakes() if "WebSocket connection" not in m]
    buttons = browser.driver.find_elements("css selector", "button")
    assert len(buttons) == 8
    assert all(button.accessible_name for button in buttons)
    holds = [b for b in buttons if b.get_attribute("data-hold") is not None]
    assert all("hold" in b.get_attribute("aria-description") for b in holds)
