# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Speed of the whole graph relative to real time, and the time that each part takes."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from bea_ros.bench.node_processes import cpu_seconds, learn
from bea_ros.localization.arena import load_arena
from bea_ros.localization.tracker import Tracker
from bea_ros.nodes.simulator.parameters import CAMERA_PARAMETERS, camera_of
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CommandLimiter, CpgNetwork
from bea_ros.runs.folder.run_folder import LOG, read_evaluations
from bea_ros.simulation.observed import WorldCamera
from bea_ros.simulation.rollout import CONTROL_RATE
from bea_ros.simulation.world import World

EVALUATIONS = 20
DURATION = 30.0  # s
SIZE = ("--evaluations", EVALUATIONS, "--duration", DURATION)


def run() -> int:
    """Learn with the real graph and print the times; returns an exit code."""
    with tempfile.TemporaryDirectory() as folder:
        cpu = _learn(Path(folder) / "run")
        records = read_evaluations(Path(folder) / "run")
    if len(records) < EVALUATIONS:
        print("bench loop: the graph did not finish (its output is above)", file=sys.stderr)
        return 1
    walls = np.array([r["time"]["evaluation"] for r in records])
    overhead = float(np.median([r["time"]["overhead"] for r in records]))
    wall = float(np.median(walls))
    console = Console()
    console.print(
        f"{EVALUATIONS} evaluations of {DURATION:g} s: {wall:.2f} s each (median), "
        f"[bold]{DURATION / wall:.1f} x real time[/bold] through the whole graph "
        f"(slowest {DURATION / walls.max():.1f} x)"
    )
    table = Table("process", "CPU s per evaluation", title="CPU time of each node")
    for name, seconds in cpu.items():
        table.add_row(name, f"{seconds:.2f}")
    console.print(table)
    table = Table("part", "s per evaluation", title="The same work in one process, without ROS")
    parts = _parts()
    for name, seconds in parts.items():
        table.add_row(name, f"{seconds:.3f}")
    table.add_row("optimizer (ask and tell)", f"{overhead:.3f}")
    rest = wall - sum(parts.values())
    table.add_row("DDS, executors, waiting for each other", f"{rest:.3f}")
    console.print(table)
    for option in ("--in-process", "--no-images"):
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            for _ in learn(run, option, *SIZE, total=EVALUATIONS):
                pass
            took = [r["time"]["evaluation"] for r in read_evaluations(run)]
        factor = DURATION / float(np.median(took))
        console.print(f"bea learn {option}: [bold]{factor:.0f} x real time[/bold] (median)")
    return 0


def _learn(output: Path) -> dict[str, float]:
    """CPU time (s) of each node per evaluation of a run of `bea learn`, without its start."""
    first: dict[str, float] = {}
    last: dict[str, float] = {}
    for nodes in learn(output, *SIZE, total=EVALUATIONS):
        last |= cpu_seconds(nodes)
        if not (output / LOG).exists():  # until the first evaluation has ended
            first = dict(last)
    return {
        name: (seconds - first.get(name, 0.0)) / (EVALUATIONS - 1)
        for name, seconds in last.items()
    }


def _parts() -> dict[str, float]:
    """Time (s) of physics, camera, detection and CPG for one evaluation."""
    robot = load_robot("spider9")
    world = World(robot)
    values: dict[str, Any] = {p.name: p.default for p in CAMERA_PARAMETERS}
    arena = load_arena(robot)
    camera = WorldCamera(world, camera_of(values, arena))
    tracker = Tracker.of(robot, arena, camera.camera.intrinsics)
    ticks = round(DURATION * CONTROL_RATE)
    frames = round(DURATION * values["camera.rate"])
    network = CpgNetwork(robot, np.linspace(0, 1, len(robot.parameter_names)))
    limiter = CommandLimiter(robot.joints)
    period = 1 / CONTROL_RATE
    world.reset()
    began = [time.perf_counter()]
    targets = network.output(period * np.arange(ticks))
    commands = [limiter.limit(target, period) for target in targets]
    began.append(time.perf_counter())
    for command in commands:
        world.step(command, period)
    began.append(time.perf_counter())
    images = [camera.take(world.scene(), frame) for frame in range(frames)]
    began.append(time.perf_counter())
    for frame, image in enumerate(images):
        tracker.update(image, frame / values["camera.rate"])
    began.append(time.perf_counter())
    return dict(zip(("CPG", "physics", "camera", "detection"), np.diff(began), strict=True))
