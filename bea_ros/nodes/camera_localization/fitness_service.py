# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Serves the fitness of an evaluation, once that is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bea_ros_interfaces.srv import EvaluateFitness
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from bea_ros.localization.referee import Referee
from bea_ros.localization.window import Untrusted, at_edge, blame
from bea_ros.nodes.camera_localization.seen import Seen
from bea_ros.nodes.shared.node import wall_timer
from bea_ros.nodes.shared.pose_messages import path_of
from bea_ros.nodes.shared.stamps import to_nanoseconds
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks import TaskError, check_duration, find_task

AHEAD = 60.0  # s that an evaluation may be asked for before it begins
CLOCK = 0.3  # s that the images' clock may gain or lose in an evaluation


@dataclass
class Evaluation:
    """A request that waits for the end of its evaluation."""

    start: int  # ns
    end: int  # ns
    done: Future = field(default_factory=Future)


class FitnessService:
    """Serves `evaluate_fitness` from the poses that the camera saw.

    Call `finish` after adding to `seen`. Without images for `timeout` s (wall clock) an evaluation
    fails. In simulation it fails without images until `timeout` s after its end, in ROS time: a
    busy machine may let time stand still, and the learner's patience is for one that hangs.
    Answers contain the node's `settings`. `blind` says why no image can be used, or is empty.
    """

    def __init__(
        self,
        node: Node,
        referee: Referee,
        seen: Seen,
        timeout: float,
        settings: Callable[[], str],
        blind: Callable[[], str],
    ) -> None:
        self.clock = node.get_clock()
        self.referee, self.seen, self.timeout = referee, seen, timeout
        self.settings, self.blind = settings, blind
        self.pending: list[Evaluation] = []
        self.simulated = bool(node.get_parameter("use_sim_time").value)
        # Its answer waits for other messages, so it must not keep them from being handled.
        waiting = ReentrantCallbackGroup()
        node.create_service(
            EvaluateFitness, "evaluate_fitness", self._on_evaluate, callback_group=waiting
        )
        wall_timer(node, 0.5, self._on_watch)

    def finish(self) -> None:
        """Answer the evaluations that are over: by time, or as the robot reached the edge."""
        last = self.seen.sightings[-1] if self.seen.sightings else None
        leaving = last is not None and at_edge(last, self.referee.arena, self.referee.trust)
        for evaluation in list(self.pending):
            over = last is not None and last.stamp >= evaluation.end
            missed = self.seen.last_image > evaluation.end + self.referee.trust.gap * SECOND
            left = leaving and last is not None and last.stamp > evaluation.start
            if over or missed or left:
                self.pending.remove(evaluation)
                evaluation.done.set_result("")

    def fail(self, reason: str) -> None:
        """Let all waiting evaluations fail."""
        pending, self.pending = self.pending, []
        for evaluation in pending:
            evaluation.done.set_result(reason)

    async def _on_evaluate(
        self, request: EvaluateFitness.Request, response: EvaluateFitness.Response
    ) -> EvaluateFitness.Response:
        start = to_nanoseconds(request.start)
        try:
            task = find_task(request.task)
            self._check_window(start, request.duration)
        except TaskError as error:
            response.message = str(error)
            return response
        evaluation = Evaluation(start, start + round(request.duration * SECOND))
        self.pending.append(evaluation)
        self.finish()
        silent = await evaluation.done
        response.message = silent or self.seen.twice(start, evaluation.end)
        if response.message:
            return response
        try:
            fitness, window = self.referee.measure(
                task, self.seen.sightings, start, request.duration
            )
        except (Untrusted, ValueError) as why:
            unseen = self.seen.reasons(start, evaluation.end)
            response.message, response.tumbled = blame(why, unseen)
            return response
        gained = 0.0 if self.simulated else self.seen.gained(start, window.end)
        if abs(gained) > CLOCK:
            more = "more" if gained > 0 else "less"
            response.message = (
                f"the evaluation took {abs(gained):.2f} s {more} by the images' clock than by "
                "this machine's: images came late, or a clock was set"
            )
            return response
        response.message = window.suspicion
        response.success = not response.message
        response.tumbled = not response.success
        response.fitness = fitness.value
        response.term_names = list(fitness.terms)
        response.terms = list(fitness.terms.values())
        response.trajectory = path_of(window.trajectory, start)
        response.settings = self.settings()
        return response

    def _check_window(self, start: int, duration: float) -> None:
        """Refuse a window of time that nobody would wait for; raises TaskError."""
        check_duration(duration)
        ahead = (start - max(self.seen.last_image, self.clock.now().nanoseconds)) / SECOND
        if ahead > AHEAD:
            raise TaskError(f"the start is {ahead:.0f} s in the future")

    def _on_watch(self) -> None:
        """Let evaluations fail if the camera sends nothing, or with the time of another clock."""
        now = self.clock.now().nanoseconds
        quiet = time.monotonic() - self.seen.last_wall
        if quiet > self.timeout and not self.simulated:
            self.fail(self.blind() or f"no image for {quiet:.0f} s")
        if any(now > one.end + self.timeout * SECOND for one in self.pending):
            behind = (now - self.seen.last_image) / SECOND
            self.fail(f"the images are {behind:.0f} s behind this machine's clock")
        if not self.pending:
            self.seen.last_wall = max(self.seen.last_wall, time.monotonic() - self.timeout)
