# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Starts a graph without ros2 launch, each node in its own process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from socket import socket
from typing import Any

from bea_ros.bringup.node_spec import ENVIRONMENT, BringupError, NodeSpec, not_installed
from bea_ros.nodes.executables import MODULES
from bea_ros.system.enclaves import enclave_arguments, secured
from bea_ros.system.locks import machine_lock
from bea_ros.system.processes import die_with_parent, how_it_ended

GRACE = 2.5  # s between asking a process to end and killing it
DOMAINS = range(40, 102)  # ROS 2 domain ids usable on Linux; low ones are left to users


def run_graph(nodes: Sequence[NodeSpec], own_domain: bool = True) -> int:
    """Run nodes until the last one in the list ends, and return its exit code.

    If another essential node ends first, a message names it, all nodes are stopped, and its code,
    or 1, is returned. After Ctrl-C (SIGTERM) all are stopped within 3 s; the code is 130 (143).
    A terminal that closes does the same (129), unless nohup ignores it, and Ctrl-Z (148), which
    would suspend this process alone while the robot moves on.
    The graph stays on this machine unless ROS_AUTOMATIC_DISCOVERY_RANGE is set. `own_domain`
    separates it from other graphs there, unless ROS_DOMAIN_ID is set or SROS 2 is on.
    """
    commands = {node.executable: command_of(node) for node in nodes}
    environment, lock = _environment(own_domain)
    stop = _StopSignals()
    processes: dict[str, subprocess.Popen] = {}
    try:
        for name, command in commands.items():
            processes[name] = start_node(command, environment)
        return _watch(processes, {n.executable for n in nodes if n.essential}, stop)
    finally:
        _end(processes)
        stop.restore()
        if lock:
            lock.close()


class _StopSignals:
    """Remembers a received SIGINT, SIGTERM, SIGTSTP (Ctrl-Z) or SIGHUP (a closed terminal)."""

    def __init__(self) -> None:
        self.received: int | None = None
        numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGTSTP]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # of nohup
            numbers.append(signal.SIGHUP)
        self._before = {number: signal.signal(number, self._on_signal) for number in numbers}

    def _on_signal(self, number: int, frame: Any) -> None:
        self.received = number

    def restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def _watch(
    processes: dict[str, subprocess.Popen], essential: Collection[str], stop: _StopSignals
) -> int:
    main = list(processes)[-1]
    watched = dict(processes)
    while stop.received is None:
        for name, process in list(watched.items()):
            code = process.poll()
            if code is None:
                continue
            if name in essential:
                expected = name == main and code >= 0
                return code if expected else _died(name, code, "learner" in essential)
            del watched[name]
            _say_ended(name, code, "the run continues without it")
        time.sleep(0.02)
    return 128 + stop.received


def _died(name: str, code: int, learning: bool) -> int:
    if code != 2:  # a user's mistake, which the node has printed
        saved = "; what was measured is saved, and the same command resumes" * learning
        _say_ended(name, code, f"everything is stopped{saved}")
    return code if code > 0 else 1


def _say_ended(name: str, code: int, what_then: str) -> None:
    print(f"bea: {name} ended ({how_it_ended(code)}); {what_then}", file=sys.stderr)


def command_of(node: NodeSpec) -> list[str]:
    """Return the command that starts a node; raises BringupError."""
    command = [*_executable(node), "--ros-args"]
    for name, value in node.parameters.items():
        command += ["-p", f"{name}:={_yaml(name, value)}"]
    for name, other in node.remappings:
        command += ["-r", f"{name}:={other}"]
    return command + enclave_arguments(node.executable, node.package)


def _yaml(name: str, value: Any) -> str:
    """Return a value as JSON that is YAML, too, which has one escape for an emoji, not a pair.

    Raises BringupError for bytes that are no text.
    """
    text = json.dumps(value, ensure_ascii=False)
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise BringupError(f"{name} is {value!r}: a node takes names in UTF-8 only")
    return "".join(x if x < "\x7f" else f"\\U{ord(x):08x}" for x in text)


def start_node(command: list[str], environment: dict[str, str]) -> subprocess.Popen:
    """Start a process that ends with this one, however this one ends."""
    # Own session: Ctrl-C reaches only this process, which stops the nodes in order.
    return subprocess.Popen(
        command, env=environment, start_new_session=True, preexec_fn=die_with_parent
    )


def _executable(node: NodeSpec) -> list[str]:
    """Return a node's executable; raises BringupError if its package is not installed."""
    if node.package == "bea_ros":
        return [sys.executable, "-m", MODULES[node.executable]]
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix

    try:
        folder = Path(get_package_prefix(node.package)) / "lib" / node.package
    except (PackageNotFoundError, LookupError, OSError):
        raise not_installed(node) from None
    return [str(folder / node.executable)]


def _end(processes: dict[str, subprocess.Popen]) -> None:
    """Stop the last node (the learner) first, so that the controller can stop the robot."""
    for name in reversed(processes):
        if processes[name].poll() is None:
            processes[name].terminate()
    deadline = time.monotonic() + GRACE
    for process in processes.values():
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _environment(own_domain: bool) -> tuple[dict[str, str], socket | None]:
    """Return the nodes' environment and the lock on the chosen domain; raises BringupError."""
    environment = dict(os.environ)
    usual = {
        **ENVIRONMENT,
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        # Log messages between the learner's lines; on a terminal they overwrite its last one.
        "RCUTILS_CONSOLE_OUTPUT_FORMAT": "\r\x1b[K" * sys.stderr.isatty() + "  {name}: {message}",
    }
    if os.environ.get("NO_COLOR"):
        usual["RCUTILS_COLORIZED_OUTPUT"] = "0"
    for name, value in usual.items():
        environment.setdefault(name, value)
    if not own_domain or "ROS_DOMAIN_ID" in environment or secured():  # keys hold for one domain
        return environment, None
    lock, domain = free_domain()
    if not lock:
        raise BringupError(
            f"others on this machine use each ROS_DOMAIN_ID from {DOMAINS[0]} to {DOMAINS[-1]}: "
            "set ROS_DOMAIN_ID to one that no other robot uses"
        )
    environment["ROS_DOMAIN_ID"] = str(domain)
    environment.setdefault("GZ_PARTITION", f"bea_ros_{domain}")
    environment.setdefault("GZ_IP", "127.0.0.1")
    return environment, lock


def free_domain(domains: Sequence[int] = DOMAINS) -> tuple[socket | None, int]:
    """Lock one of these domain ids for this process; the lock is None if all are in use."""
    for domain in reversed(domains):
        if lock := machine_lock(f"domain/{domain}"):
            return lock, domain
    return None, domains[0]
