# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an operator asks for comes to a learner that was busy: a pause is a pause, an abort too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
import rclpy
from guest import Guest
from rclpy.task import Future
from std_srvs.srv import Trigger

from bea_ros.nodes.learner.operator import Aborted, Operator, PauseRequest, SkipRequest
from bea_ros.nodes.shared.robot.client import nothing
from bea_ros.nodes.shared.stopping import OVERDUE

pytestmark = pytest.mark.graph


class Heard(Exception):
    """The end of a test."""


class Desk(Guest):
    """A learner's side and an operator's, which is heard when the learner spins."""

    def __init__(self, domain: int) -> None:
        super().__init__("learner", domain)
        self.asking = rclpy.create_node("operator", context=self.context)
        self.executor.add_node(self.asking)
        self.operator = Operator(self.node, repeat=self.repeat)
        self.clients = {
            name: self.asking.create_client(Trigger, f"learner/{name}")
            for name in ("pause", "resume", "skip", "repeat_last", "abort")
        }
        self.answers: list[Future] = []
        self.repeated = 0
        self.paused = False
        for client in self.clients.values():
            self.wait_for(client.service_is_ready)

    def repeat(self) -> int:
        self.repeated += 1
        return 1

    def ask(self, *names: str) -> None:
        for name in names:
            self.answers.append(self.clients[name].call_async(Trigger.Request()))

    def hear(self) -> None:
        """Handle a message; raises Heard if all that was asked has been answered."""
        if all(answer.done() for answer in self.answers):
            raise Heard
        self.spin()

    def run(self, and_then: Callable[[], None] = nothing) -> None:
        """Do as a learner does until all that was asked has been heard."""
        with suppress(Heard):
            while True:
                self.hear()
                with suppress(SkipRequest):
                    try:
                        self.operator.check()
                    except PauseRequest:
                        self.pause()

    def pause(self, and_then: Callable[[], None] = nothing) -> None:
        """As a learner's pause, which a test's end does not end; `and_then`, when resumed."""
        try:
            self.operator.wait(self.hear)
        except Heard:
            self.paused = True
            raise
        self.paused = False
        and_then()


@pytest.fixture
def desk(domain: int) -> Iterator[Desk]:
    with Desk(domain) as made:
        yield made
        made.asking.destroy_node()


@pytest.mark.parametrize("before", [("resume",), ("resume", "pause"), ("skip", "resume")])
def test_whatever_was_asked_before_a_pause_it_is_paused(desk: Desk, before: tuple) -> None:
    desk.operator.tried()
    desk.ask(*before * 8, "pause")
    desk.run()
    assert desk.paused
    desk.ask(*before * 8, "pause")  # of one that is paused already
    with suppress(Heard):
        desk.pause()
    desk.run() if not desk.paused else None
    assert desk.paused


@pytest.mark.parametrize("name", ["resume", "skip"])
def test_a_paused_learner_that_hung_does_not_go_on_by_what_was_asked_long_ago(
    desk: Desk, name: str
) -> None:
    desk.operator.tried()
    desk.ask(name)
    time.sleep(OVERDUE + 1.0)
    with suppress(Heard):
        desk.pause()
    assert desk.paused
    (answer,) = desk.answers
    assert not answer.result().success
    assert "s ago: ask again" in answer.result().message
    desk.ask("resume")
    desk.pause()
    assert not desk.paused


def test_an_abort_is_an_abort_whatever_else_is_asked(desk: Desk) -> None:
    for words in (["resume", "abort", "resume"], ["abort", "pause", "resume"]):
        for part in (desk.run, desk.pause):
            desk.ask(*words * 8)
            with pytest.raises(Aborted):
                part(and_then=desk.run)


def test_what_a_paused_learner_is_to_measure_again_is_noted_before_it_is_aborted(
    desk: Desk,
) -> None:
    desk.ask("repeat_last", "abort")
    with pytest.raises(Aborted):
        desk.pause()
    assert desk.repeated
