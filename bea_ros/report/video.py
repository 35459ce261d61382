# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea watch`: the best gait of a run as a video and a still."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.progress import track

from bea_ros.images.arrays import Image
from bea_ros.images.pictures import write_picture
from bea_ros.images.videos import video_writer
from bea_ros.localization.arena import Arena
from bea_ros.localization.robot_arena import load_arena
from bea_ros.runs.learned import Learned, read_learned
from bea_ros.tasks import check_duration, title_of

FRAME_RATE = 25.0
BACKENDS = ("egl", "osmesa")  # what MuJoCo can render with where there is no screen
STILL = 0.7  # of the film, when the still is taken
NO_OPENGL = (
    "no OpenGL for MuJoCo: drawn by the overhead camera instead. To see it from beside: "
    "apt install libegl1 libgl1-mesa-dri (or libosmesa6)"
)
PROBE = """
import mujoco
mujoco.Renderer(mujoco.MjModel.from_xml_string("<mujoco/>"), 48, 64).render()
"""


def watch(
    folder: Path,
    output: Path | None = None,
    speed: float = 2.0,
    duration: float = 0.0,
    size: tuple[int, int] = (960, 540),
    motor: str = "",
) -> list[Path]:
    """Write best.mp4 and best.png of a run into `output` (default: the run's folder).

    The film is `speed` times as fast as the robot, and shows `duration` s of it (0: the task's
    own), in the arena it learned in and with its motors or `motor`. Returns the files.

    Raises RunFolderError, RobotError or ArenaError, and ValueError for sizes that cannot be.
    """
    width, height = size
    if not 0 < speed <= 100:
        raise ValueError(f"a film at speed {speed:g} cannot be made: above 0, at most 100")
    if duration:
        check_duration(duration)
    if not (64 <= width <= 4096 and 64 <= height <= 4096 and width % 2 == height % 2 == 0):
        raise ValueError(
            f"a film of {width}x{height} pixels cannot be made: even numbers, 64-4096"
        )
    learned = read_learned(folder)
    robot = learned.robot()
    arena = load_arena(robot, learned.arena)
    rendering = choose_backend()
    from bea_ros.simulation.recording import record
    from bea_ros.simulation.world import World

    seconds = duration or learned.task.duration
    recording = record(World(robot, motor=motor or learned.motor), learned.network(robot), seconds)
    artist = _artist(recording, arena, width, height, rendering)
    output = output or folder
    output.mkdir(parents=True, exist_ok=True)
    video, still = output / "best.mp4", output / "best.png"
    times = np.arange(0.0, seconds, speed / FRAME_RATE)
    with video_writer(video, width, height, FRAME_RATE) as write:
        for time in track(times, "drawing"):
            write(_captioned(artist.frame(time), learned, recording, time, speed))
    picture = artist.frame(STILL * seconds)
    write_picture(still, picture[:, :, ::-1])
    artist.close()
    return [video, still]


def choose_backend() -> bool:
    """Find what MuJoCo can render with, and have it do so; whether there is anything.

    It must be known before MuJoCo is imported, and a failure may end the process: so each is tried
    in one of its own. MUJOCO_GL, if set, is what is tried.
    """
    if "mujoco" in sys.modules:
        return os.environ.get("MUJOCO_GL", "") in (*BACKENDS, "glfw")
    given = os.environ.get("MUJOCO_GL")
    screen = ("glfw",) if os.environ.get("DISPLAY") else ()
    for backend in (given,) if given else (*BACKENDS, *screen):
        environment = {**os.environ, "MUJOCO_GL": backend}
        probe = subprocess.run(
            [sys.executable, "-c", PROBE], env=environment, capture_output=True, check=False
        )
        if probe.returncode == 0:
            os.environ["MUJOCO_GL"] = backend
            return True
    return False


def _artist(recording: Any, arena: Arena, width: int, height: int, rendering: bool) -> Any:
    if rendering:
        from bea_ros.simulation.film import Film

        return Film(recording, arena, width, height)
    from bea_ros.simulation.overview import Overview

    print(NO_OPENGL)
    return Overview(recording, arena, width, height)


def _captioned(image: Image, learned: Learned, recording: Any, time: float, speed: float) -> Image:
    """The picture with a line on what it shows."""
    base = recording.at(time)[2]
    moved = float(np.linalg.norm(base[:2, 3] - recording.base[0, :2, 3]))
    yaw = np.unwrap(np.arctan2(recording.base[:, 1, 0], recording.base[:, 0, 0]))
    turned = round(float(np.interp(time, recording.t, yaw) - yaw[0]), 1) + 0.0
    what = f"{turned:+.1f} rad" if learned.task.unit == "rad" else f"{moved:.2f} m"
    task = title_of(learned.task.name)
    text = f"{recording.robot.name}, {task}   {time:4.1f} s   {what}   {speed:g}x"
    scale = image.shape[0] / 720
    corner = (round(28 * scale), image.shape[0] - round(28 * scale))
    font, size, thickness = cv2.FONT_HERSHEY_SIMPLEX, 0.85 * scale, max(round(1.6 * scale), 1)
    (width, height), below = cv2.getTextSize(text, font, size, thickness)
    margin = round(10 * scale)
    low = (corner[0] - margin, corner[1] + below + margin)
    high = (corner[0] + width + margin, corner[1] - height - margin)
    cv2.rectangle(image, low, high, (255, 255, 255), cv2.FILLED)
    cv2.putText(image, text, corner, font, size, (29, 35, 41), thickness, cv2.LINE_AA)
    return image
