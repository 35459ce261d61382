# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Sends an operator's requests to the learner or the servos, without ros2cli."""

from __future__ import annotations

import json
import math
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import rclpy
from bea_ros_interfaces.msg import LearnerStatus
from rclpy._rclpy_pybind11 import RCLError
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from bea_ros.nodes.learner.operator import ADDRESS, VARIABLES
from bea_ros.nodes.shared.process import USER_ERROR, reason_of
from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.robot.requests import SERVICES, clients_of, server_of
from bea_ros.nodes.shared.sole_publisher import SolePublisher, crowd_of_servers
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.lock import in_use, word_of
from bea_ros.system.enclaves import enclave_arguments
from bea_ros.system.files import read_whole
from bea_ros.tasks import unit_of

PATIENCE = 10.0  # s
LARGEST_ADDRESS = 2**16  # bytes
SETTLE = 1.0  # s in which a second server is found after the first one, on an idle machine
ANNOUNCED = 3.5  # s in which DDS announces each node again, in case a busy machine missed it
WORDS = re.compile(r"[\w/]*", re.ASCII)  # characters of an address
NAMESPACES = re.compile(r"/?([A-Za-z_]\w*(/[A-Za-z_]\w*)*)?", re.ASCII)
HARMLESS = ("stop", "disarm")  # they may go to several servers
REFUSED = 1  # exit code


class OperatorClient(Node):
    """Subscribes the learner's status; calls services of the learner and the servos."""

    def __init__(self, namespace: str | None = None) -> None:
        super().__init__("operator", namespace=namespace)
        self.requests = clients_of(self)
        self.heard: list[LearnerStatus] = []
        self.create_subscription(LearnerStatus, "learner/status", self.heard.append, LATCHED)


def ask(request: str, folder: Path | None, namespace: str | None) -> int:
    """Send a request to a learner or its robot, and print the answer; returns the exit code.

    The learner is that of a run's `folder` on this machine. Without a folder it is the one in the
    ROS domain of the environment. Raises RunFolderError if no learner uses the folder.
    """
    if not NAMESPACES.fullmatch(namespace or ""):
        raise ValueError(f"--namespace {namespace!r}: letters, digits and _, with / between them")
    address, proof = _address(folder) if folder else {}, ""
    if folder and request not in HARMLESS:
        # In a copy of the folder the address is the original's, but the word is another.
        proof = word_of(folder) if in_use(folder) else ""
        if not proof:
            raise RunFolderError(f"{folder}: no learner works there")
    os.environ.update({name: address[name] for name in VARIABLES if name in address})
    try:
        ros_arguments = ["--ros-args", *enclave_arguments("operator")]
        # SIGTERM, as by timeout(1), ends the process: rclpy would make an error of it.
        handled = SignalHandlerOptions.SIGINT  # type: ignore[attr-defined]
        rclpy.init(args=ros_arguments, signal_handler_options=handled)
        node = OperatorClient(namespace or address.get("namespace"))
        if request not in HARMLESS and (doubt := _doubt(node, request, proof)):
            print(f"bea operator: {doubt}", file=sys.stderr)
            return REFUSED
        return _print_status(node) if request == "status" else _call(node, request)
    except RCLError as error:
        print(f"bea operator: {reason_of(error)}", file=sys.stderr)
        return USER_ERROR
    finally:
        rclpy.try_shutdown()


def _address(folder: Path) -> dict[str, str]:
    """Read a learner's address: some of VARIABLES, and its namespace; the rest is ignored."""
    try:
        found = json.loads(read_whole(folder / ADDRESS, LARGEST_ADDRESS))
    except (OSError, ValueError, RecursionError):
        raise RunFolderError(f"{folder}: no learner works there") from None
    found = found if isinstance(found, dict) else {"namespace": found}
    words = {name: found[name] for name in (*VARIABLES, "namespace") if name in found}
    for value in words.values():
        if not isinstance(value, str) or not WORDS.fullmatch(value):
            raise RunFolderError(f"{folder / ADDRESS} is damaged: no learner works there")
    return words


def _doubt(node: OperatorClient, request: str, proof: str) -> str:
    """Say why the receiver is uncertain; empty if it is one learner, the one with `proof`."""
    began = time.monotonic()
    status = node.resolve_topic_name("learner/status")
    service = node.requests.get(request)
    if service and not service.wait_for_service(PATIENCE):
        return _missing(node.resolve_service_name(service.srv_name))
    if proof or not service:
        _spin_until(node, lambda: any(h.header.frame_id == proof or not proof for h in node.heard))
        if not node.heard:
            return _missing(status)
    took = time.monotonic() - began  # on a busy machine the second one takes longer as well
    _spin_until(node, lambda: False, max(SETTLE if proof else ANNOUNCED, took))
    crowds = [SolePublisher(node, status).crowd]
    crowds += [crowd_of_servers(node, service)] if service else []
    if crowd := next(filter(None, crowds), ""):
        return f"{crowd}, so the request was not sent"
    if proof and node.heard[-1].header.frame_id != proof:
        return f"{status} is that of another run's learner: the request was not sent"
    return ""


def _call(node: OperatorClient, request: str) -> int:
    client, (_, asked) = node.requests[request], SERVICES[request]
    if not client.wait_for_service(PATIENCE):
        return _nobody(node.resolve_service_name(client.srv_name))
    future = client.call_async(asked)
    rclpy.spin_until_future_complete(node, future, timeout_sec=PATIENCE)
    answer = future.result()
    if answer is None:
        return _nobody(node.resolve_service_name(client.srv_name))
    print(answer.message, file=sys.stdout if answer.success else sys.stderr)
    return 0 if answer.success else REFUSED


def _print_status(node: OperatorClient) -> int:
    if not _spin_until(node, lambda: bool(node.heard)):
        return _nobody(node.resolve_topic_name("learner/status"))
    print(words_of(node.heard[-1]))
    return 0


def words_of(status: LearnerStatus) -> str:
    """Return a learner's status in one line."""
    best = f", best {status.best_fitness:.4f} {unit_of(status.task)}".rstrip()
    return (
        f"{status.robot}, {status.task}: {status.state}, {status.evaluation} of {status.budget} "
        f"evaluations{'' if math.isnan(status.best_fitness) else best}"
        + (f": {status.message}" if status.message else "")
    )


def _spin_until(node: Node, done: Callable[[], bool], patience: float = PATIENCE) -> bool:
    end = time.monotonic() + patience
    while not done() and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.1)
    return done()


def _nobody(name: str) -> int:
    print(f"bea operator: {_missing(name)}", file=sys.stderr)
    return REFUSED


def _missing(name: str) -> str:
    who = server_of(name)
    advice = "a simulated run has a domain of its own: name its folder"
    if who == "servo driver":
        advice = "a simulated robot has no servos: bea operator pause RUN stops it"
    return f"no {who} answers at {name}: does it run, with this ROS_DOMAIN_ID? ({advice})"
