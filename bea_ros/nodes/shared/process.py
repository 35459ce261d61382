# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The main function of nodes: start, spin, stop on Ctrl-C, one line for a user's mistake."""

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
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from bea_ros.system.enclaves import secured

NodeType = TypeVar("NodeType", bound=Node)

USER_ERROR, SYSTEM_ERROR = 2, 1  # exit codes


def run_node(
    make: Callable[[], NodeType],
    args: list[str] | None = None,
    work: Callable[[NodeType, SingleThreadedExecutor], int] | None = None,
) -> int:
    """Create a node and spin it until shutdown, or call `work(node, executor)` in place of spin.

    Returns the exit code: 0 after SIGINT or SIGTERM; 2 for a user's mistake (a ValueError or
    missing file while the node is created); 1 for an error of the system, such as a full disk.
    Errors are printed in one line.
    """
    interrupts: list[int] = []
    # rclpy shuts the context down on SIGINT and SIGTERM, and then calls what was there before.
    # Python's own handler would raise KeyboardInterrupt wherever the node is just then; and
    # what comes while rclpy makes the context shuts nothing down.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: interrupts.append(number))
    # of a node that is shut down while it is made: a second line beside the one that says why
    warnings.filterwarnings("ignore", "Failed to fini", RuntimeWarning)
    try:
        rclpy.init(args=args)
    except RuntimeError as error:  # rcl's, for arguments that it cannot read
        return _refuse(error)
    if interrupts:
        rclpy.try_shutdown()
        return 0
    node = None
    try:
        try:
            node = make()
        except (ValueError, FileNotFoundError, RCLError) as error:
            if rclpy.ok():
                return _refuse(error)
            raise
        if not rclpy.ok():
            return 0
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        if work:
            return work(node, executor)
        executor.spin()
    except ExternalShutdownException:
        pass
    except OSError as error:
        return _say(error, SYSTEM_ERROR)
    except Exception as error:
        if rclpy.ok():
            if isinstance(error, RCLError) and secured():  # the keystore does not allow it
                return _refuse(error)
            raise  # otherwise the shutdown came in the middle of something that needs the context
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _refuse(error: Exception) -> int:
    return _say(error, USER_ERROR)


def _say(error: Exception, code: int) -> int:
    program = Path(sys.argv[0])  # as a module it is PACKAGE/node.py
    name = program.parent.name if program.stem == "node" else program.stem
    print(f"{name}: {reason_of(error)}", file=sys.stderr, flush=True)
    return code


def reason_of(error: Exception) -> str:
    """Return an error in one line."""
    reason = " ".join(str(error).split(", at ")[0].split())  # rcl appends the place in its code
    if "initialize logging" in reason:
        reason += ": give a folder that can be written as ROS_LOG_DIR"
    if isinstance(error, RCLError) and secured():
        domain = os.environ.get("ROS_DOMAIN_ID", "0")
        reason += f" (SROS 2 is on: does the keystore allow this in ROS_DOMAIN_ID {domain}?)"
    return reason
