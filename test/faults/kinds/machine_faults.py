# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that die or hang, disks that fail, and a second learner."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time

from graph_under_test import environment
from scene import Scene, kind

from bea_ros.runs.folder.run_folder import LOG, TRAJECTORIES

NODES = ("learner", "cpg_controller", "camera_localization", "simulator", "bea")


def send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        if pid:
            os.kill(pid, number)


def process_faults(name: str) -> None:
    @kind(f"kill -9: {name}")
    def kill(scene: Scene) -> str:
        began = time.monotonic()
        send(scene.run.nodes().get(name, 0), signal.SIGKILL)
        if name == "learner":
            scene.gone.append((began, began + 3))
        return name

    @kind(f"terminate: {name}")
    def terminate(scene: Scene) -> str:
        send(scene.run.nodes().get(name, 0), signal.SIGTERM)
        return name


def hanging(name: str) -> None:
    @kind(f"hang: {name}")
    def hang(scene: Scene) -> str:
        """SIGSTOP for a while: a node that hangs, a machine that swaps."""
        pid = scene.run.nodes().get(name, 0)
        seconds = scene.chance.choice([0.2, 1.0, 2.5])
        began = time.monotonic()
        send(pid, signal.SIGSTOP)
        time.sleep(seconds)
        if name == "learner":
            scene.gone.append((began, time.monotonic()))
        send(pid, signal.SIGCONT)
        return f"{seconds} s"


for node in NODES:
    process_faults(node)
    if node != "bea":
        hanging(node)


@kind("second learner on the robot")
def second_learner(scene: Scene) -> str:
    words = ["-m", "bea_ros.nodes.learner.node", "--ros-args", "-p", "duration:=2.0",
             "-p", "evaluations:=14", "-p", f"output:={scene.run.folder}-second",
             "-r", "/clock:=clock", "-p", "use_sim_time:=true"]  # fmt: skip
    return _refused(scene, words, "somebody else publishes")


@kind("second learner on the run")
def second_run(scene: Scene) -> str:
    words = ["-m", "bea_ros", "learn", "--output", str(scene.run.folder), "--duration", "2"]
    words += ["--evaluations", str(scene.run.evaluations)]
    return _refused(scene, words, "in use by another learner")


def _refused(scene: Scene, words: list[str], reason: str) -> str:
    if not scene.run.alive or scene.run.done >= scene.run.evaluations:
        return "too late"
    domain = 0 if "bea_ros" in words else scene.run.domain
    second = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=environment(domain),
    )  # fmt: skip
    while second.poll() is None and scene.run.alive and scene.run.done < scene.run.evaluations:
        time.sleep(0.05)
    late = second.poll() is None
    second.terminate()
    said = second.communicate(timeout=30)[0]
    if late:
        return "too late"
    return "refused" if second.returncode and reason in said else f"VIOLATION: {said[-300:]}"


@kind("disk full")
def fill(scene: Scene) -> str:
    """A limit of the learner's files, just above what is there."""
    pid = scene.run.nodes().get("learner", 0)
    size = (scene.run.folder / LOG).stat().st_size + scene.chance.randrange(1200)
    limits = resource.prlimit(pid, resource.RLIMIT_FSIZE) if pid else (0, 0)
    if pid:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, limits[1]))
    scene.run.wait_for_progress(scene.run.done + 2)
    return "learner"


@kind("disk read-only")
def read_only(scene: Scene) -> str:
    if not scene.disk.protect(scene.run.folder, True):
        return "skipped: needs root"
    time.sleep(2.0)
    scene.disk.protect(scene.run.folder, False)
    return "2 s"


@kind("disk hangs")
def freeze_disk(scene: Scene) -> str:
    """Every write waits: the learner can say nothing, so the robot must be still."""
    seconds = scene.chance.choice([0.3, 1.5])
    if not scene.disk.freeze():
        return "skipped: needs root"
    time.sleep(seconds)
    scene.disk.thaw()
    return f"{seconds} s"


@kind("power cut")
def cut_power(scene: Scene) -> str:
    """All processes are gone in the middle of a write, and with them what was not on disk yet."""
    run = scene.run
    path, before = run.folder / scene.chance.choice([LOG, TRAJECTORIES]), run.done
    size = path.stat().st_size
    while run.alive and path.stat().st_size == size:
        time.sleep(0.0005)
    time.sleep(scene.chance.uniform(0, 0.003))
    for pid in run.nodes().values():
        send(pid, signal.SIGKILL)
    run.end()
    if not scene.disk.cut_power():
        return "skipped: needs root"
    lost = before - run.done
    return f"VIOLATION: {lost} evaluations are lost" if lost > 0 else path.name
