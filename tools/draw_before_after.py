#!/usr/bin/env python3
# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draw docs/images/before_after.webp: a run's first candidate beside its best.

python tools/draw_before_after.py runs/spider9-gait-seed1
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Picture
from rich.progress import track

from bea_ros.images.arrays import Image
from bea_ros.localization.robot_arena import load_arena
from bea_ros.report.video import choose_backend
from bea_ros.runs.learned import read_learned

OUTPUT = Path(__file__).resolve().parent.parent / "docs" / "images" / "before_after.webp"
WIDTH, HEIGHT = 400, 300  # of each half
RATE, SPEED = 10, 3.0  # frames per second, times real time
INK, PAPER = (29, 35, 41), (255, 255, 255)


def caption(image: Image, text: str) -> Image:
    cv2.rectangle(image, (0, HEIGHT - 30), (WIDTH, HEIGHT), PAPER, cv2.FILLED)
    where = (10, HEIGHT - 10)
    cv2.putText(image, text, where, cv2.FONT_HERSHEY_SIMPLEX, 0.5, INK, 1, cv2.LINE_AA)
    return image


def main(folder: Path) -> None:
    learned = read_learned(folder)
    robot = learned.robot()
    arena = load_arena(robot, learned.arena)
    if not choose_backend():
        sys.exit("no OpenGL here: apt install libegl1 libgl1-mesa-dri")
    from bea_ros.simulation.film import Film
    from bea_ros.simulation.recording import record
    from bea_ros.simulation.world import World

    with (folder / "evaluations.jsonl").open() as log:
        first = json.loads(log.readline())
    seconds = learned.task.duration
    halves = []
    for number, weights in (
        (first["evaluation"], first["parameters"]),
        (learned.evaluation, learned.weights),
    ):
        recording = record(World(robot), learned.controller(robot, weights), seconds)
        halves.append((number, recording, Film(recording, arena, WIDTH, HEIGHT)))
    frames = []
    for time in track(np.arange(0.0, seconds, SPEED / RATE), "drawing"):
        row = []
        for number, recording, film in halves:
            start, now = recording.base[0, :2, 3], recording.at(time)[2][:2, 3]
            text = f"candidate {number}: {np.hypot(*(now - start)):.2f} m in {time:.0f} s"
            row.append(caption(film.frame(time).copy(), text))
        frames.append(Picture.fromarray(np.hstack(row)))
    frames[0].save(
        OUTPUT, save_all=True, append_images=frames[1:], duration=1000 // RATE, loop=0,
        quality=60, method=6,
    )  # fmt: skip
    print(f"wrote {OUTPUT}, {OUTPUT.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
