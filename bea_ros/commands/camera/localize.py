# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea localize: trajectory, fitness and annotated video from a video of the overhead camera."""

from __future__ import annotations

import argparse
import math
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bea_ros.commands.parser import add_robot

if TYPE_CHECKING:
    from bea_ros.localization.arena import Arena
    from bea_ros.localization.recorded import Footage
    from bea_ros.tasks import Task


def add(commands: Any) -> None:
    text = "find a robot's trajectory and fitness in a video, or in a folder of pictures"
    parser = commands.add_parser("localize", help=text, description=text)
    parser.add_argument("video", metavar="VIDEO", help="video, folder or pattern of pictures")
    parser.add_argument(
        "--camera-info", required=True, metavar="YAML", help="calibration by bea calibrate-camera"
    )
    add_robot(parser)
    parser.add_argument("--task", default="gait", help="task that the fitness is for")
    parser.add_argument(
        "--start", type=float, help="time at which the evaluation begins (s; default: first seen)"
    )
    parser.add_argument(
        "--duration",
        type=float,
        default=0.0,
        help="duration of the evaluation (s; default: the task's own, if there)",
    )
    parser.add_argument(
        "--rate", type=float, default=0.0,
        help="images per second (default: a video's own; pictures and .h264 need it)",
    )  # fmt: skip
    parser.add_argument("--output", type=Path, help="folder (default: VIDEO's name -localized)")
    parser.add_argument("--no-video", action="store_true", help="write no annotated video")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from rich.progress import track

    from bea_ros.images.footage import USUAL_RATE, are_without_times, frame_rate, frames
    from bea_ros.localization.arena import load_arena
    from bea_ros.localization.camera_info import read_camera_info
    from bea_ros.localization.recorded import follow, write_trajectory
    from bea_ros.robots import load_robot
    from bea_ros.tasks import check_duration, find_task

    for name in ("start", "duration", "rate"):
        if not 0 <= (getattr(parsed, name) or 0.0) < math.inf:
            raise ValueError(f"--{name} is {getattr(parsed, name)}: allowed is a number from 0")
    if parsed.duration:
        check_duration(parsed.duration)
    if not parsed.rate and are_without_times([parsed.video]):
        raise ValueError(
            f"{parsed.video}: pictures and bare streams have no times; give --rate, images per "
            "second"
        )
    task = find_task(parsed.task)
    robot = load_robot(parsed.robot, parsed.generation)
    arena = load_arena(robot, parsed.arena)
    intrinsics = read_camera_info(parsed.camera_info)
    output = parsed.output or Path(f"{Path(parsed.video).stem.strip('*') or 'video'}-localized")
    images = frames([parsed.video], parsed.rate, colour=True)
    images = chain([next(images)], images)  # no folder is made for what cannot be read
    output.mkdir(parents=True, exist_ok=True)
    video = None if parsed.no_video else output / "annotated.mp4"
    rate = parsed.rate or frame_rate(parsed.video) or USUAL_RATE
    footage = follow(track(images, "looking"), arena, intrinsics, robot, video, rate)
    write_trajectory(output / "trajectory.csv", footage.observations)
    seen = len(footage.observations)
    speed = (footage.images - 1) / footage.end if footage.end else rate
    print(
        f"{seen} of {footage.images} images show the robot, {footage.end:.1f} s, "
        f"{speed:.3g} images per second"
    )
    for path in filter(None, (output / "trajectory.csv", video)):
        print(f"wrote {path}")
    return _measure(footage, task, arena, parsed)


def _measure(footage: Footage, task: Task, arena: Arena, parsed: argparse.Namespace) -> int:
    """Print the fitness of the robot in the images; returns 1 if it cannot be trusted."""
    from bea_ros.localization.recorded import fitness_of
    from bea_ros.localization.window import Untrusted
    from bea_ros.system.nanoseconds import SECOND
    from bea_ros.tasks import UNITS

    seen = footage.observations
    if not seen:
        print(f"no fitness: the robot was never seen ({footage.reason})")
        return 1
    start, last = seen[0].stamp if parsed.start is None else parsed.start, seen[-1].stamp
    if start >= last:
        raise ValueError(
            f"nothing to measure from {start:g} s on: the robot was last seen at {last:g} s"
        )
    # By the stamps, as 1 ns more would be beyond the last image.
    rest = (round(last * SECOND) - round(start * SECOND)) / SECOND
    duration = parsed.duration or min(task.duration, rest)
    try:
        fitness = fitness_of(footage, task, arena, start, duration)
    except Untrusted as why:
        ended = start + duration > footage.end
        print(f"no fitness: {why}" + f"; the images end at {footage.end:.1f} s" * ended)
        return 1
    print(f"{task.name} from {start:.2f} s over {duration:.2f} s: {fitness.value:.4f} {task.unit}")
    for name, value in fitness.terms.items():
        print(f"  {name} {value:.4f} {task.unit if name == 'fitness' else UNITS.get(name, '')}")
    return 0
