# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea watch: a video and a still of a run's best gait."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bea_ros.robots.motors import MOTORS


def add(commands: Any) -> None:
    text = "make a video and a still of a run's best gait, or show it live"
    parser = commands.add_parser("watch", help=text, description=text)
    parser.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a run")
    parser.add_argument(
        "--output", type=Path, help="folder for the video and the still (default: the run's)"
    )
    parser.add_argument(
        "--speed", type=float, default=2.0, help="speed of the video, as a multiple of real time"
    )
    parser.add_argument(
        "--duration", type=float, default=0.0, help="s of walking (default: the task's own)"
    )
    parser.add_argument(
        "--size", type=int, nargs=2, metavar=("WIDTH", "HEIGHT"),
        help="size in pixels (default: 960 540, or 640 360 without a GPU)",
    )  # fmt: skip
    parser.add_argument(
        "--motor", choices=MOTORS, default="", help="the robot's motors (default: the run's)"
    )
    parser.add_argument("--arena", default="", help="YAML file of the arena (default: the run's)")
    parser.add_argument("--gif", action="store_true", help="make an animated GIF as well")
    parser.add_argument(
        "--live", action="store_true", help="show it in MuJoCo's viewer on a screen; make no video"
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from bea_ros.commands.graphs import remind_of_config
    from bea_ros.report.video import Film, watch, watch_live
    from bea_ros.runs.learned import read_learned

    if parsed.live and (parsed.output or parsed.size or parsed.arena or parsed.gif):
        raise ValueError(
            "--output, --size, --arena and --gif are of a video, and --live makes none"
        )
    size = tuple(parsed.size) if parsed.size else None
    film = Film(parsed.speed, parsed.duration, size, parsed.motor, parsed.gif, parsed.arena)
    learned = read_learned(parsed.run_folder)
    remind_of_config(learned, "which the film does not use")
    if parsed.live:
        watch_live(learned, film)
        return 0
    for path in watch(learned, parsed.output or learned.folder, film):
        print(f"wrote {path}")
    return 0
