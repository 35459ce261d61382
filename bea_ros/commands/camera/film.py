# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea film: what a camera above a simulated arena takes, to try the commands without a camera."""

from __future__ import annotations

import argparse
import io
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bea_ros.commands.parser import seed

if TYPE_CHECKING:
    from bea_ros.robots.cpg import CpgNetwork
    from bea_ros.simulation.observed import Laboratory
    from bea_ros.tasks import Trajectory

VIEWS = 24  # of the board: what calibration asks for, and some that it may refuse
RATE = 5.0  # images per second of the walk
USUAL = {"robot": "spider9", "generation": "small", "arena": ""}  # of the commands that read it


def add(commands: Any) -> None:
    text = "film a simulated arena: the calibration board, the robot in the arena, and a walk"
    parser = commands.add_parser("film", help=text, description=text)
    parser.add_argument(
        "run_folder", type=Path, nargs="?", metavar="RUN",
        help="run whose best gait walks, in its arena (default: a gait drawn at random)",
    )  # fmt: skip
    parser.add_argument("--robot", default="spider9", help="robot of a random gait")
    parser.add_argument(
        "--arena", default="", help="YAML file of the arena (default: the run's, or the package's)"
    )
    parser.add_argument("--duration", type=float, default=30.0, help="duration of the walk (s)")
    parser.add_argument("--seed", type=seed, default=1, help="seed of noise and gait")
    parser.add_argument("--output", type=Path, default=Path("film"), help="folder to write")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    import numpy as np
    from rich.progress import track

    from bea_ros.camera_setup.board import Board
    from bea_ros.commands.graphs import remind_of_config
    from bea_ros.images.pictures import write_picture
    from bea_ros.localization.arena import load_arena
    from bea_ros.robots import load_robot
    from bea_ros.robots.cpg import CpgNetwork
    from bea_ros.runs.learned import read_learned
    from bea_ros.simulation.camera.board_views import Photographer
    from bea_ros.simulation.observed import Laboratory
    from bea_ros.system.files import replace_file

    if not 1.0 <= parsed.duration <= 600.0:
        raise ValueError(f"--duration is {parsed.duration:g}: allowed are 1 to 600 s")
    if parsed.run_folder:
        learned = read_learned(parsed.run_folder)
        robot = learned.robot()
        cpg, motor, damages = learned.network(robot), learned.motor, learned.damages(robot)
        file = parsed.arena or learned.arena
        filmed = {name: learned.platform[name] for name in ("robot", "generation")}
        remind_of_config(learned, "which the film does not use")
    else:
        robot = load_robot(parsed.robot)
        drawn = np.random.default_rng(parsed.seed).random(len(robot.parameter_names))
        cpg, motor, damages = CpgNetwork(robot, drawn), "servo", {}
        file, filmed = parsed.arena, {"robot": parsed.robot}
    arena, filmed["arena"] = load_arena(robot, file), file
    board_folder = parsed.output / "board"
    board_folder.mkdir(parents=True, exist_ok=True)
    laboratory = Laboratory(robot, None, arena, parsed.seed, motor, damages)
    photographer = Photographer(laboratory.camera.camera.intrinsics, Board())
    views = photographer.tour(VIEWS, parsed.seed)
    for i, view in enumerate(track(views, "board", total=VIEWS)):
        write_picture(board_folder / f"{i:02}.png", view)
    laboratory.world.reset()
    write_picture(parsed.output / "arena.png", laboratory.picture(-1))
    walked = _film_walk(parsed.output / "walk.mp4", laboratory, cpg, parsed.duration)
    truth = parsed.output / "truth.csv"
    table = io.StringIO()
    np.savetxt(table, walked.poses, "%.6f", ",", header="t,x,y,yaw", comments="")
    replace_file(truth, table.getvalue())
    print(
        f"wrote {parsed.output}: {VIEWS} views of the board, the arena, "
        f"{parsed.duration:g} s of walking, and where the robot really was (truth.csv)\n"
        "now, one after the other:"
    )
    for command in _next(parsed.output, filmed):
        print(f"  {command}")
    return 0


def _next(folder: Path, filmed: Mapping[str, str]) -> list[str]:
    """The commands that read the film, as they are typed."""
    camera = folder / "camera.yaml"
    given = [
        word
        for name, value in filmed.items()
        if value != USUAL[name]
        for word in (f"--{name}", value)
    ]
    seen = ["--camera-info", camera, *given, "--output"]
    commands = (
        ["calibrate-camera", folder / "board", "--output", camera],
        ["check-arena", folder / "arena.png", *seen, folder / "check.png"],
        ["localize", folder / "walk.mp4", *seen, folder / "localized"],
    )
    return [shlex.join(["bea", *map(str, words)]) for words in commands]


def _film_walk(path: Path, laboratory: Laboratory, cpg: CpgNetwork, duration: float) -> Trajectory:
    """Write a video of a walk of `duration` (s); returns where the robot really was."""
    import cv2
    import numpy as np
    from rich.progress import track

    from bea_ros.images.videos import video_writer
    from bea_ros.simulation.rollout import (
        CONTROL_RATE,
        drive,
        sample,
        ticks_in,
        trajectory_of_samples,
    )

    every = round(CONTROL_RATE / RATE)
    intrinsics = laboratory.camera.camera.intrinsics
    samples = []
    with video_writer(path, intrinsics.width, intrinsics.height, RATE) as write:
        moving = drive(laboratory.world, cpg, duration)
        for tick in track(moving, "walk ", total=ticks_in(duration) + 1):
            samples.append(sample(laboratory.world))
            if tick % every == 0:
                write(cv2.cvtColor(laboratory.picture(tick // every), cv2.COLOR_GRAY2RGB))
    return trajectory_of_samples(np.array(samples))
