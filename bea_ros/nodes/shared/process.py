# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The main function of nodes: start, spin, stop on Ctrl-C, report a user's mistake in a line."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import rclpy
from rclpy._rclpy_pybind11 import RCLError
from rclpy.exceptions import NameValidationException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import uninstall_signal_handlers

from bea_ros.nodes.shared.node import wall_timer
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.system.enclaves import secured

NodeType = TypeVar("NodeType", bound=Node)

USER_ERROR, SYSTEM_ERROR = 2, 1  # exit codes
ENDING = 30  # s that a node may take to be destroyed
AWAKE = 0.5  # s after which a node sees that it was shut down


def run_node(
    make: Callable[[], NodeType],
    args: list[str] | None = None,
    work: Callable[[NodeType, SingleThreadedExecutor], int] | None = None,
) -> int:
    """Create a node and spin it until shutdown, or call `work(node, executor)` in place of spin.

    Returns the exit code: 0 after SIGINT or SIGTERM; 2 for a user's mistake (a ValueError,
    invalid name or missing file while the node is created, a RunFolderError at any time); 1 for an
    error of the system, such as a full disk. Errors are printed in one line. A node that hangs
    while it is destroyed is killed.
    """
    # On SIGINT and SIGTERM, rclpy shuts the context down and then calls the previous handler.
    # Python's own handler would raise KeyboardInterrupt anywhere in the node. A signal that comes
    # while rclpy creates the context shuts nothing down.
    interrupts = note_signals()
    # A node that is shut down during its creation would print this as a second line.
    warnings.filterwarnings("ignore", "Failed to fini", RuntimeWarning)
    try:
        rclpy.init(args=args)
    except RuntimeError as error:  # rcl raises it for invalid arguments
        return _refuse(error)
    if interrupts:
        rclpy.try_shutdown()
        return 0
    node = None
    try:
        try:
            node = make()
        except (ValueError, FileNotFoundError, NameValidationException, RCLError) as error:
            if rclpy.ok():
                return _refuse(error)
            raise
        if not rclpy.ok():
            return 0
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        if work:
            return work(node, executor)
        # On a signal rclpy wakes the node before it shuts the context down: it may wait again.
        wall_timer(node, AWAKE, lambda: None)
        executor.spin()
    except ExternalShutdownException:
        pass
    except OSError as error:
        return _say(error, SYSTEM_ERROR)
    except RunFolderError as error:  # somebody removed or changed it meanwhile
        return _refuse(error)
    except Exception as error:
        if rclpy.ok():
            if isinstance(error, RCLError) and secured():  # denied by the keystore
                return _refuse(error)
            raise  # not ok: a shutdown interrupted code that needs the context
    finally:
        signal.alarm(ENDING)  # ends this process: Fast DDS may hang here (its issue 6502)
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
        signal.alarm(0)
    return 0


def note_signals() -> list[int]:
    """Let SIGINT and SIGTERM end nothing; returns the list to which they are added from now on."""
    uninstall_signal_handlers()  # rclpy's, if there are any, shut the node down at once
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: received.append(number))
    return received


def _refuse(error: Exception) -> int:
    return _say(error, USER_ERROR)


def _say(error: Exception, code: int) -> int:
    program = Path(sys.argv[0])  # PACKAGE/node.py, if run as a module
    name = program.parent.name if program.stem == "node" else program.stem
    print(f"{name}: {reason_of(error)}", file=sys.stderr, flush=True)
    return code


def reason_of(error: Exception) -> str:
    """Return an error in one line."""
    reason = " ".join(str(error).split(", at ")[0].split())  # rcl appends its source line
    reason = reason.removesuffix(" ^")  # of rclpy's, below the wrong character of a name
    if "initialize logging" in reason:
        reason += ": give a folder that can be written as ROS_LOG_DIR"
    if isinstance(error, RCLError) and secured():
        domain = os.environ.get("ROS_DOMAIN_ID", "0")
        reason += f" (SROS 2 is on: does the keystore allow this in ROS_DOMAIN_ID {domain}?)"
    return reason
