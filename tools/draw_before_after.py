#!/usr/bin/env python3
# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draw docs/images/before_after.webp: a run's first candidate beside its best.

python tools/draw_before_after.py runs/spider9-gait-bea-seed1

Or docs/images/recovered.webp: a run's best, the same when the robot is damaged, and the best of
the run that `bea adapt` made of it.

python tools/draw_before_after.py runs/walk runs/walk-adapted
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Picture
from rich.progress import track

from bea_ros.images.arrays import Image
from bea_ros.localization.arena import load_arena
from bea_ros.report.video import choose_backend
from bea_ros.robots.damage import Damage, by_joint, damages_of
from bea_ros.runs.learned import Learned, read_learned

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
HEIGHT, WHOLE = 300, 800  # pixels; of all side by side
RATE, SPEED = 8, 5.0  # frames per second, times real time
INK, PAPER = (29, 35, 41), (255, 255, 255)

Shown = tuple[str, dict[str, float], dict[str, Damage]]  # its name, weights, the robot's damages


def caption(image: Image, text: str) -> Image:
    height, width = image.shape[:2]
    cv2.rectangle(image, (0, height - 30), (width, height), PAPER, cv2.FILLED)
    where = (10, height - 10)
    cv2.putText(image, text, where, cv2.FONT_HERSHEY_SIMPLEX, 0.45, INK, 1, cv2.LINE_AA)
    return image


def before_after(learned: Learned) -> list[Shown]:
    with (learned.folder / "evaluations.jsonl").open() as log:
        first = json.loads(log.readline())
    return [
        (f"candidate {first['evaluation']}", first["parameters"], {}),
        (f"candidate {learned.evaluation}", learned.weights, {}),
    ]


def recovered(learned: Learned, adapted: Learned) -> list[Shown]:
    damages = damages_of(by_joint(adapted.request["damage"]), adapted.robot())
    return [
        ("before", learned.weights, {}),
        ("damaged", learned.weights, damages),
        (f"trial {adapted.evaluation}", adapted.weights, damages),
    ]


def draw(learned: Learned, shown: Sequence[Shown], output: Path) -> None:
    if not choose_backend():
        sys.exit("no OpenGL here: apt install libegl1 libgl1-mesa-dri")
    from bea_ros.simulation.film import Film
    from bea_ros.simulation.recording import record
    from bea_ros.simulation.world import World

    robot, width = learned.robot(), WHOLE // len(shown)
    arena, seconds = load_arena(robot, learned.arena), learned.task.duration
    parts = []
    for name, weights, damages in shown:
        world = World(robot, damages=damages)
        recording = record(world, learned.controller(robot, weights), seconds)
        parts.append((name, recording, Film(recording, arena, width, HEIGHT)))
    frames = []
    for time in track(np.arange(0.0, seconds, SPEED / RATE), "drawing"):
        row = []
        for name, recording, film in parts:
            start, now = recording.base[0, :2, 3], recording.at(time)[2][:2, 3]
            text = f"{name}: {np.hypot(*(now - start)):.2f} m in {time:.0f} s"
            row.append(caption(film.frame(time), text))
        frames.append(Picture.fromarray(np.hstack(row)))
    frames[0].save(
        output, save_all=True, append_images=frames[1:], duration=1000 // RATE, loop=0,
        quality=50, method=4,
    )  # fmt: skip
    print(f"wrote {output}, {output.stat().st_size // 1024} KiB")


def main(folder: Path, adapted: Path | None = None) -> None:
    learned = read_learned(folder)
    if adapted is None:
        draw(learned, before_after(learned), IMAGES / "before_after.webp")
    else:
        draw(learned, recovered(learned, read_learned(adapted)), IMAGES / "recovered.webp")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
