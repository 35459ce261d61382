# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Publishes `learner/status` and diagnostics, at each change and every second."""

from __future__ import annotations

import math

from bea_ros_interfaces.msg import LearnerStatus
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from bea_ros.nodes.shared.diagnostics import Diagnostics
from bea_ros.nodes.shared.node import wall_timer
from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.runs.efficiency import gains_per_second
from bea_ros.runs.folder.measurements import Record, measurements, spread
from bea_ros.runs.learning import LearningRun

PERIOD = 1.0  # s (wall clock)
LEVELS = {
    LearnerStatus.STATE_WAITING: DiagnosticStatus.WARN,
    LearnerStatus.STATE_PAUSED: DiagnosticStatus.ERROR,
    LearnerStatus.STATE_STOPPED: DiagnosticStatus.ERROR,
}


class StatusPublisher:
    """Publishes a node's LearnerStatus, latched, and `/diagnostics`."""

    def __init__(self, node: Node, robot: str, task: str, budget: int) -> None:
        self.node = node
        self.status = LearnerStatus(
            state=LearnerStatus.STATE_WAITING,
            robot=robot,
            task=task,
            budget=budget,
            fitness=math.nan,
            best_fitness=math.nan,
            best_spread=math.nan,
            step_size_factor=1.0,
        )
        self.statuses = node.create_publisher(LearnerStatus, "learner/status", LATCHED)
        self.diagnostics = Diagnostics(node, "learning")
        wall_timer(node, PERIOD, self.publish)

    def say(self, state: str, message: str = "") -> None:
        """Publish a state, and a message for the operator."""
        self.status.state, self.status.message = state, message
        self.publish()

    def measured(self, run: LearningRun, record: Record) -> None:
        """Update the progress after an evaluation; the next `say` publishes it."""
        status, best = self.status, run.best
        status.evaluation = run.done
        status.fitness = record["fitness"]
        status.overhead_time = record["time"]["overhead"]
        status.evaluation_time = record["time"]["evaluation"]
        status.gain_per_second = gains_per_second(run.evaluations)[-1]
        status.step_size_factor = run.optimizer.step_size_factor
        status.best_fitness = best["fitness"] if best else math.nan
        status.best_measurements = len(measurements(best)) if best else 0
        status.best_spread = spread(best) if best else math.nan

    def publish(self) -> None:
        """Publish the status."""
        status = self.status
        status.header.stamp = self.node.get_clock().now().to_msg()
        self.statuses.publish(status)
        self.diagnostics.say(
            LEVELS.get(status.state, DiagnosticStatus.OK),
            status.message or status.state,
            {
                "evaluation": f"{status.evaluation} of {status.budget}",
                "attempt": status.attempt,
                "best fitness": f"{status.best_fitness:.6g}",
            },
        )
