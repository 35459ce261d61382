# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The operator's services of a learner, and waiting for the operator."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rclpy.node import Node
from std_srvs.srv import Trigger

from bea_ros.nodes.shared.stopping import DatedService, LastStop, overdue
from bea_ros.runs.folder.lock import word_of
from bea_ros.system.files import replace_file

ADDRESS = ".address"  # file in a run's folder: where its learner is found
VARIABLES = {"ROS_DOMAIN_ID": "0", "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}


def leave_address(folder: Path, node: Node) -> str:
    """Write the learner's address for `bea operator` into the run's folder; returns its proof.

    The proof is the random word of the folder's lock. It is the frame_id of the learner's status.
    """
    address = {name: os.environ.get(name, usual) for name, usual in VARIABLES.items()}
    address["namespace"] = node.get_namespace()
    with contextlib.suppress(OSError):  # a run is no worse for lack of it
        replace_file(folder / ADDRESS, json.dumps(address), create_folder=False)
        return word_of(folder)
    return ""


class Request(Exception):
    """A request of the operator that interrupts the evaluation."""


class PauseRequest(Request):
    """Stop the robot, and measure the candidate again later."""


class RepeatRequest(Request):
    """Measure the last evaluation again."""


class SkipRequest(Request):
    """Skip the candidate, which then counts as the worst."""


class Aborted(Request):
    """End the run."""


class Operator:
    """Serves `pause`, `resume`, `skip`, `repeat_last`, `abort` (Trigger) below `learner/`.

    The learner calls `check` whenever it waits; `check` raises the operator's request.
    `repeat` writes to disk that the last evaluation is to be repeated; 0 means that there is none.
    A candidate can be skipped between `tried` and `done_with`. A request from before a pause, or
    long ago, does not end the pause.
    """

    def __init__(self, node: Node, repeat: Callable[[], int]) -> None:
        self.repeat = repeat
        self.can_skip = False  # whether a candidate was tried, and is not done with
        self.waiting = False
        self._asked: dict[str, bool] = {}
        self._last_pause = LastStop()
        for name in ("pause", "resume", "skip", "repeat_last", "abort"):
            DatedService(node, Trigger, f"learner/{name}", partial(self._on_request, name))
        self.resume_service = node.resolve_service_name("learner/resume")

    def check(self) -> None:
        """Raise the operator's request, each one once."""
        if self.waiting:
            return
        if self._take("abort"):
            raise Aborted
        if self._take("pause"):
            raise PauseRequest
        if self._take("skip"):
            raise SkipRequest
        if self._take("repeat_last"):
            raise RepeatRequest

    def tried(self) -> None:
        """Note that a candidate is being tried."""
        self.can_skip = True

    def done_with(self) -> None:
        """Note that it is done, so that a late skip does not apply to the next candidate."""
        self.can_skip = False
        self._take("skip")

    def wait(self, spin: Callable[[], None]) -> None:
        """Handle messages by `spin` until the operator resumes; raises Aborted, SkipRequest."""
        self.waiting = True
        for name in ("pause", "resume", "skip"):  # asked before; the robot stands still now
            self._take(name)
        try:
            while not self._take("resume"):
                spin()
                if self._take("abort"):
                    raise Aborted
                if self._take("skip"):
                    raise SkipRequest
        finally:
            self.waiting = False

    def _take(self, name: str) -> bool:
        return self._asked.pop(name, False)

    def _on_request(
        self, name: str, request: Trigger.Request, response: Trigger.Response, sent: int
    ) -> Trigger.Response:
        refusal = self._refusal(name, sent)
        response.success = not refusal
        response.message = refusal or self._answer(name)
        if name == "pause":
            self._last_pause.now()
            for other in ("resume", "skip"):  # asked before
                self._take(other)
        if response.success:
            self._asked[name] = True
        return response

    def _refusal(self, name: str, sent: int) -> str:
        if name == "resume" and not self.waiting:
            return "the learner is not paused"
        if name == "pause" and self.waiting:
            return "the learner is paused already"
        if name == "skip" and not self.can_skip:
            return "no candidate is being tried"
        if name == "skip" and self._asked.get("repeat_last"):
            return "the last evaluation is to be measured again first: resume"
        if name == "repeat_last" and not self.repeat():
            return "nothing has been measured yet"
        if name not in ("resume", "skip"):
            return ""
        return self._last_pause.objection(sent) or (overdue(sent) if self.waiting else "")

    def _answer(self, name: str) -> str:
        if name == "repeat_last" and self.waiting:
            return "the last evaluation will be measured again: resume when the robot is ready"
        return {
            "pause": "the robot stops",
            "resume": "the learner resumes",
            "skip": "the candidate counts as the worst, and the next one comes",
            "abort": "the robot stops, and the run ends; it can be resumed later",
            "repeat_last": "the last evaluation is measured again",
        }[name]
