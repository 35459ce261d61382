# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Running `bea` in tests: the real graph, several processes, real DDS."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import yaml

from bea_ros.__main__ import main
from bea_ros.bringup.node_spec import ENVIRONMENT
from bea_ros.nodes.executables import MODULES, NAMES
from bea_ros.system.processes import die_with_parent

# Of a short run that has both stages of BO, within few evaluations.
SHORT = ("--algorithm", "bo", "--option", "initial_samples=3")
UNDISTURBED = 12  # evaluations of the run that others are compared with
BEA = [sys.executable, "-m", "bea_ros"]
HANGS = 600  # s after which a command hangs: a busy machine takes minutes for a short run
PATIENCE = 180.0  # s for what an idle machine does in one: a busy one has to start nodes, too
# What nodes say on a busy machine: whom they wait for; by rcl itself, that a log message came
# after the signal that stopped them; by Fast DDS, that another process locks a port of its memory.
BESIDE = re.compile(
    r"^ +\w+: nobody publishes \S+ yet"
    r"|^Failed to publish log message to rosout: publisher's context is invalid, at \S+$"
    r"|RTPS_TRANSPORT_SHM\S* Error\] \S*Failed init_port \S+: open_and_lock_file failed"
)


def bea(*arguments, **options) -> subprocess.CompletedProcess:
    """Run a bea command to its end; without the page, where no test asks for it.

    Fast DDS may crash a node that leaves while others join, once in thousands: tried again.
    """
    if arguments[0] == "learn" and "--page" not in arguments:
        arguments = (*arguments, "--page", "off")
    command = [*BEA, *map(str, arguments)]
    for _ in range(2):
        said = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, **options)
        if "killed by SIGSEGV" not in said.stderr:
            break
    return said


def learn_command(output, evaluations=14, seed=1, *more):
    return [
        *BEA, "learn", "--output", str(output), "--evaluations", str(evaluations),
        "--seed", str(seed), "--duration", "2", "--page", "off", *more,
    ]  # fmt: skip


def learned(folder: Path, evaluations: int, *more: str) -> str:
    """Have a run learn undisturbed, by the graph, into a folder; what it said."""
    command = learn_command(folder, evaluations, 1, *more)
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == 0, done.stderr
    return done.stdout


def learn_here(folder: Path, evaluations: int, *more: str) -> int:
    """The same run, to the last bit of its log, in this process; its exit code."""
    return main(learn_command(folder, evaluations, 1, "--in-process", *more)[len(BEA) :])


def learned_alone(folder: Path, evaluations: int, *more: str) -> None:
    """A run that has learned, in a third of the time that the graph takes."""
    assert learn_here(folder, evaluations, *more) == 0


def cut_off(run: Path, count: int) -> None:
    """A run as it is when it was stopped after so many lines of its logs."""
    for name in ("evaluations.jsonl", "trajectories.jsonl"):
        log = run / name
        log.write_text("".join(log.read_text().splitlines(keepends=True)[:count]))
    (run / "best.yaml").unlink()


def in_domain(domain: int, **more: str) -> dict[str, str]:
    """The environment of a process in this ROS domain, as nodes have it."""
    return {**ENVIRONMENT, **os.environ, "ROS_DOMAIN_ID": str(domain), **more}


def node_process(name: str, domain: int, *words: str, **options: Any) -> subprocess.Popen:
    """A node of ours in a process of its own, with these ROS arguments."""
    command = [sys.executable, "-m", MODULES[name], "--ros-args", *words]
    environment = {"env": in_domain(domain), "preexec_fn": die_with_parent}
    return subprocess.Popen(command, **(environment | options))


def refusal(name: str, domain: int, *words: str, **options: Any) -> str:
    """The one line of a node that refuses to start with these ROS arguments."""
    options |= {"stderr": subprocess.PIPE, "text": True}
    with node_process(name, domain, *words, **options) as node:
        said = node.communicate(timeout=HANGS)[1]
    assert node.returncode == 2, said
    return one_line(said)


def one_line(said: str, *words: str) -> str:
    """The only line that was said, in which these words are; nodes may say BESIDE it."""
    lines = [line for line in said.splitlines() if line.strip() and not BESIDE.search(line)]
    assert len(lines) == 1, said
    for word in words:
        assert word in lines[0]
    return lines[0]


def config(folder: Path, **nodes: dict[str, Any]) -> str:
    """The path of a file with these parameters of nodes."""
    path = folder / f"{'-'.join(nodes)}.yaml"
    path.write_text(yaml.dump({name: {"ros__parameters": p} for name, p in nodes.items()}))
    return str(path)


def start(command, **options) -> subprocess.Popen:
    return subprocess.Popen(
        command,
        **options,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def log_of(folder: Path) -> list[str]:
    """The log's lines as they must be equal between two runs: without `time`."""
    lines = []
    for line in (folder / "evaluations.jsonl").read_text().splitlines():
        record = json.loads(line)
        del record["time"]
        lines.append(json.dumps(record))
    return lines


def evaluations_in(folder: Path) -> int:
    log = folder / "evaluations.jsonl"
    return len(log.read_text().splitlines()) if log.exists() else 0


def nodes_of(process: subprocess.Popen) -> dict[str, int]:
    """Process ids of the nodes that a `bea` process started, by name."""
    found = {}
    for child in psutil.Process(process.pid).children():
        with contextlib.suppress(psutil.NoSuchProcess):  # it has just ended
            found |= {NAMES[word]: child.pid for word in child.cmdline() if word in NAMES}
    return found


def pause() -> None:
    time.sleep(0.02)


def wait_for(
    condition: Callable[[], Any],
    turn: Callable[[], Any] = pause,
    said: Callable[[], Any] = lambda: "",
) -> None:
    """Do `turn` again and again until a condition holds; `said` tells what is wrong if not."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain; {said()}"
        turn()


def after(seconds: float) -> Callable[[], bool]:
    """A condition that holds from then on."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def end(*processes: subprocess.Popen) -> None:
    """End nodes, the last one first.

    Some are killed in the end: Fast DDS 3.2.2 may lock itself up while it takes a participant down
    (in DomainParticipant::set_listener), when another one vanishes at that moment.
    """
    for process in reversed(processes):
        process.terminate()
    for process in processes:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def kill_all(process: subprocess.Popen) -> None:
    """Whatever a test did, leave nothing behind."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        process.wait(HANGS)


@contextlib.contextmanager
def load(processes: int) -> Iterator[list[subprocess.Popen]]:
    """Other work on this machine."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield busy
    finally:
        for process in busy:
            process.kill()
            process.wait()


@contextlib.contextmanager
def ending(process: subprocess.Popen) -> Iterator[subprocess.Popen]:
    """A `bea` process that ends with what a test does, at the latest."""
    try:
        yield process
    finally:
        kill_all(process)
