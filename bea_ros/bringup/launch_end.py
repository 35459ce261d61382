# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Ends a launch: with a node, with rviz, by Ctrl-C or by SIGTERM."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import Any

from launch import Action, LaunchContext
from launch.actions import EmitEvent, LogInfo, RegisterEventHandler
from launch.actions import Shutdown as ShutdownAction
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown, matches_action
from launch.events.process import ShutdownProcess
from launch.utilities import AsyncSafeSignalManager
from launch_ros.actions import Node

from bea_ros.bringup.node_spec import NodeSpec
from bea_ros.system.processes import how_it_ended

WINDOW = "rviz2"
SCENE = ("monitor", "robot_state_publisher", WINDOW)  # the nodes that rviz still needs


def heed_termination(context: LaunchContext) -> None:
    """Let SIGTERM end the nodes as Ctrl-C does; launch itself would leave them running."""
    # launch's signal manager has no public name. Python passes it only signals that have a
    # handler; launch installs one for SIGINT, but not for SIGTERM.
    manager = getattr(AsyncSafeSignalManager, "_AsyncSafeSignalManager__current", None)
    if manager is not None:
        ended = Shutdown(reason="SIGTERM")
        manager.handle(signal.SIGTERM, lambda number: context.emit_event_sync(ended))
        signal.signal(signal.SIGTERM, lambda number, frame: None)


class Course:
    """Decides what happens to the other nodes when a node ends.

    The graph ends with an essential node: successfully with the last one, else with an error that
    names it. If rviz is open after a success, it and its scene stay until the user closes it.
    """

    def __init__(self, started: Sequence[tuple[NodeSpec, Node]]) -> None:
        self.started = list(started)
        self.last = self.started[-1][0]
        self.gone: set[str] = set()
        self.over = False  # the last node has ended, and rviz is still open

    def end_with(self, spec: NodeSpec, node: Node) -> RegisterEventHandler:
        """Return the handler of this node's end."""

        def on_exit(event: Any, context: LaunchContext) -> list[Action]:
            return [] if context.is_shutdown else self.ended(spec, event.returncode)

        return RegisterEventHandler(OnProcessExit(target_action=node, on_exit=on_exit))

    def ended(self, spec: NodeSpec, returncode: int) -> list[Action]:
        """Return the actions after a node's end; raises RuntimeError if it must not end."""
        self.gone.add(spec.executable)
        if self.over:
            return [ShutdownAction(reason="rviz was closed")] if spec.executable == WINDOW else []
        if not spec.essential:
            return []
        if spec is self.last and returncode == 0:
            return self._leave_rviz() or [ShutdownAction(reason=f"{spec.executable} finished")]
        # Only an exception makes ros2 launch end with an exit code other than 0.
        ending = how_it_ended(returncode)
        raise RuntimeError(f"{spec.executable} ended ({ending}); everything is stopped")

    def _leave_rviz(self) -> list[Action]:
        """If rviz is open, end all nodes but rviz and its scene."""
        others = [(s, node) for s, node in self.started if s.executable not in self.gone]
        if WINDOW not in {spec.executable for spec, _ in others}:
            return []
        self.over = True
        said = f"{self.last.executable} finished; close rviz, or press Ctrl-C, to end"
        return [LogInfo(msg=said)] + [
            EmitEvent(event=ShutdownProcess(process_matcher=matches_action(node)))
            for spec, node in others
            if spec.executable not in SCENE
        ]
