# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the page says and does when its connection is lost, in a real browser."""

from __future__ import annotations

import signal

import pytest
from browser import Browser
from operator_desk import Desk
from page_client import PageProcess
from std_msgs.msg import Bool

pytestmark = pytest.mark.graph
DYING = """const send = WebSocket.prototype.send, [lost] = arguments;
WebSocket.prototype.send = function (text) {
  if (!text.includes(lost)) return send.call(this, text);
  WebSocket.prototype.send = send;
  this.close();
};"""  # a connection that takes the first request of this kind along


@pytest.fixture
def stops(desk: Desk) -> list[bool]:
    """What is said on emergency_stop, while the desk spins."""
    heard: list[bool] = []
    desk.node.create_subscription(Bool, "emergency_stop", lambda m: heard.append(m.data), 10)
    return heard


def test_a_lost_connection_is_said_and_a_stop_goes_out_when_it_is_back(
    browser: Browser, desk: Desk, stops: list[bool], page: PageProcess
) -> None:
    browser.open(page.address.whole)
    browser.wait_for("#link", "connected", desk.spin)
    page.process.send_signal(signal.SIGSTOP)
    browser.wait_for("#lost", "CONNECTION LOST")
    assert not browser.element("[data-ask=pause]").is_enabled()
    browser.click("#stop")
    browser.wait_for("#stopped", "STOP WAS NOT SENT: no connection. Cut the power: the red one")
    browser.script(
        """for (const clock of [Date, performance]) {
          const now = clock.now.bind(clock);
          clock.now = () => now() + 3.6e6;  // an hour later
        }"""
    )
    page.process.send_signal(signal.SIGCONT)
    browser.wait(lambda: True in stops, desk.spin)
    browser.wait_for("#stopped", "STOP IS NOT CONFIRMED: no servo driver answers. Cut the power",
                     desk.spin)  # fmt: skip
    browser.wait(lambda: not browser.element("#lost").is_displayed())


def test_a_request_that_a_lost_connection_took_along_is_said(
    browser: Browser, desk: Desk, page: PageProcess
) -> None:
    browser.open(page.address.whole)
    browser.wait_for("#link", "connected", desk.spin)
    browser.script(DYING, "pause")
    browser.script("document.querySelector('[data-ask=pause]').click()")
    browser.wait_for("#answer", "Pause: no answer, the connection was lost", desk.spin)


def test_a_silent_node_is_noticed_though_the_clock_was_set_back(
    browser: Browser, page: PageProcess
) -> None:
    browser.open(page.address.whole)
    browser.wait_for("#link", "connected")
    browser.script("const now = Date.now; Date.now = () => now() - 3.6e6;")
    page.process.send_signal(signal.SIGSTOP)
    browser.wait_for("#lost", "CONNECTION LOST")


def test_a_page_that_ends_before_its_run_says_so(browser: Browser, page: PageProcess) -> None:
    browser.open(page.address.whole)
    browser.wait_for("#state", "no learner yet")
    page.process.send_signal(signal.SIGINT)
    browser.wait_for("#lost", "CONNECTION LOST: the page's node has ended")


def test_a_stop_that_a_dying_connection_took_along_is_sent_again(
    browser: Browser, desk: Desk, stops: list[bool], page: PageProcess
) -> None:
    browser.open(page.address.whole)
    browser.wait_for("#link", "connected", desk.spin)
    browser.script(DYING, "stop")
    browser.click("#stop")
    browser.wait(lambda: True in stops, desk.spin)
    browser.wait_for("#stopped", "STOP IS NOT CONFIRMED: no servo driver answers", desk.spin)
