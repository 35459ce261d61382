# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea film: what a camera above a simulated arena takes, to try the commands without a camera."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

VIEWS = 24  # of the board: what calibration asks for, and some that it may refuse
RATE = 5.0  # images per second of the walk


def add(commands: Any) -> None:
    text = "film a simulated arena: the calibration board, the robot in the arena, and a walk"
    parser = commands.add_parser("film", help=text, description=text)
    parser.add_argument(
        "run_folder", type=Path, nargs="?", metavar="RUN",
        help="run whose best gait walks (default: a gait drawn at random)",
    )  # fmt: skip
    parser.add_argument("--robot", default="spider9", help="robot of a random gait")
    parser.add_argument("--duration", type=float, default=30.0, help="duration of the walk (s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of noise and gait")
    parser.add_argument("--output", type=Path, default=Path("film"), help="folder to write")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    import cv2
    import numpy as np
    from rich.progress import track

    from bea_ros.camera_setup.board import Board
    from bea_ros.images.pictures import write_picture
    from bea_ros.images.videos import video_writer
    from bea_ros.robots import load_robot
    from bea_ros.robots.cpg import CpgNetwork
    from bea_ros.runs.learned import read_learned
    from bea_ros.simulation.camera.board_views import Photographer
    from bea_ros.simulation.observed import Laboratory, frame_seed
    from bea_ros.simulation.rollout import CONTROL_RATE, drive, sample, trajectory_of

    if not 1.0 <= parsed.duration <= 600.0 or not math.isfinite(parsed.duration):
        raise ValueError(f"--duration is {parsed.duration:g}: allowed are 1 to 600 s")
    if parsed.run_folder:
        learned = read_learned(parsed.run_folder)
        robot = learned.robot()
        cpg = learned.network(robot)
    else:
        robot = load_robot(parsed.robot)
        drawn = np.random.default_rng(parsed.seed).random(len(robot.parameter_names))
        cpg = CpgNetwork(robot, drawn)
    board_folder = parsed.output / "board"
    board_folder.mkdir(parents=True, exist_ok=True)
    laboratory = Laboratory(robot, seed=parsed.seed)
    camera = laboratory.camera.camera
    photographer = Photographer(camera.intrinsics, Board())
    views = photographer.tour(VIEWS, parsed.seed)
    for i, view in enumerate(track(views, "board", total=VIEWS)):
        write_picture(board_folder / f"{i:02}.png", view)
    laboratory.world.reset()
    standing = laboratory.camera.take(laboratory.camera.scene(), frame_seed(parsed.seed, -1))
    write_picture(parsed.output / "arena.png", standing)

    every = round(CONTROL_RATE / RATE)
    ticks = round(parsed.duration * CONTROL_RATE)
    samples = []
    size = camera.intrinsics.width, camera.intrinsics.height
    with video_writer(parsed.output / "walk.mp4", *size, RATE) as write:
        moving = drive(laboratory.world, cpg, parsed.duration)
        for tick in track(moving, "walk ", total=ticks + 1):
            samples.append(sample(laboratory.world))
            if tick % every == 0:
                scene = laboratory.camera.scene()
                image = laboratory.camera.take(scene, frame_seed(parsed.seed, tick // every))
                write(cv2.cvtColor(image, cv2.COLOR_GRAY2RGB))
    truth = trajectory_of(np.array(samples))
    np.savetxt(
        parsed.output / "truth.csv", np.column_stack([truth.t, truth.x, truth.y, truth.yaw]),
        "%.6f", ",", header="t,x,y,yaw", comments="",
    )  # fmt: skip
    print(
        f"wrote {parsed.output}: {VIEWS} views of the board, the arena, "
        f"{parsed.duration:g} s of walking, and where the robot really was (truth.csv)\n"
        f"now: bea calibrate-camera {board_folder}"
    )
    return 0
