# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea watch`: the best gait of a run as a video and a still."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from bea_ros.images.pictures import write_picture
from bea_ros.images.videos import find_ffmpeg, video_writer, write_gif
from bea_ros.localization.arena import Arena, load_arena
from bea_ros.report.insets import Insets
from bea_ros.runs.learned import Learned
from bea_ros.tasks import check_duration

FRAME_RATE = 25.0
SIZE, SMALL = (960, 540), (640, 360)  # pixels of a film, and of one drawn on the CPU
BACKENDS = ("egl", "osmesa")  # MuJoCo's renderers that need no screen
PROCESSORS = ("llvmpipe", "softpipe", "swrast", "software", "mesa offscreen")  # CPU renderers
STILL = 0.7  # time of the still, as a share of the film
NO_OPENGL = (
    "no OpenGL for MuJoCo: drawn by the overhead camera instead. To see it from beside: "
    "apt install libegl1 libgl1-mesa-dri (or libosmesa6)"
)
PROBE = """
import mujoco
renderer = mujoco.Renderer(mujoco.MjModel.from_xml_string("<mujoco/>"), 48, 64)
renderer.render()
from OpenGL import GL
print(GL.glGetString(GL.GL_RENDERER).decode())
"""


@dataclass(frozen=True)
class Film:
    """Settings of a film.

    It plays `speed` times as fast as real time and shows `duration` s (0: the task's own), with
    the run's motors and arena or `motor` and `arena` (a file). `size` is in pixels (None: the
    default, smaller on the CPU).
    """

    speed: float = 2.0
    duration: float = 0.0
    size: tuple[int, int] | None = None
    motor: str = ""
    gif: bool = False
    arena: str = ""

    def check(self) -> None:
        """Raise ValueError for a value that is not allowed."""
        if not 0 < self.speed <= 100:
            raise ValueError(
                f"a film at speed {self.speed:g} cannot be made: above 0, at most 100"
            )
        if self.duration:
            check_duration(self.duration)
        width, height = self.size or SIZE
        if not (64 <= width <= 4096 and 64 <= height <= 4096 and width % 2 == height % 2 == 0):
            raise ValueError(
                f"a film of {width}x{height} pixels cannot be made: even numbers, 64-4096"
            )


def watch(learned: Learned, output: Path, film: Film) -> list[Path]:
    """Write best.mp4 and best.png of a run into the folder `output`.

    Returns the files. Raises RobotError or ArenaError, and ValueError if the film cannot be made.
    """
    film.check()
    find_ffmpeg()
    robot = learned.robot()
    arena = load_arena(robot, film.arena or learned.arena)
    renderer = choose_backend()
    from bea_ros.simulation.recording import record
    from bea_ros.simulation.world import World

    seconds = film.duration or learned.task.duration
    world = World(robot, None, film.motor or learned.motor, learned.damages(robot))
    recording = record(world, learned.network(robot), seconds)
    slow = any(name in renderer.lower() for name in PROCESSORS)
    size = film.size or (SMALL if slow or not renderer else SIZE)
    artist = _artist(recording, arena, size, renderer, slow)
    insets = Insets(learned, recording, film.speed)
    output.mkdir(parents=True, exist_ok=True)
    video, still = output / "best.mp4", output / "best.png"
    times = np.arange(0.0, seconds, film.speed / FRAME_RATE)
    with video_writer(video, *size, FRAME_RATE) as write:
        for time in track(times, "drawing"):
            write(insets.draw(artist.frame(time), time))
    write_picture(still, artist.frame(STILL * seconds)[:, :, ::-1])
    artist.close()
    if not film.gif:
        return [video, still]
    write_gif(video, output / "best.gif")
    return [video, still, output / "best.gif"]


def watch_live(learned: Learned, film: Film) -> int:
    """Show a run's best gait in MuJoCo's viewer; returns how often it was started.

    Raises as `watch` does, and ValueError without a screen.
    """
    from bea_ros.simulation.live import check_screen, show
    from bea_ros.simulation.world import World

    film.check()
    check_screen()
    robot = learned.robot()
    world = World(robot, None, film.motor or learned.motor, learned.damages(robot))
    seconds = film.duration or learned.task.duration
    return show(world, learned.network(robot), seconds, film.speed)


def choose_backend() -> str:
    """Choose a backend with which MuJoCo can render; returns the renderer's name, "" for none.

    MuJoCo reads MUJOCO_GL when it is imported, and a failure may end the process. So each backend
    is tried in its own process. If MUJOCO_GL is set, only that backend is tried.
    """
    given = os.environ.get("MUJOCO_GL")
    if "mujoco" in sys.modules:
        return given if given in (*BACKENDS, "glfw") else ""
    screen = ("glfw",) if os.environ.get("DISPLAY") else ()
    for backend in (given,) if given else (*BACKENDS, *screen):
        environment = {**os.environ, "MUJOCO_GL": backend}
        probe = subprocess.run(
            [sys.executable, "-c", PROBE], env=environment, capture_output=True, text=True
        )
        if probe.returncode == 0:
            os.environ["MUJOCO_GL"] = backend
            return probe.stdout.strip() or backend
    return ""


def _artist(recording: Any, arena: Arena, size: tuple[int, int], renderer: str, slow: bool) -> Any:
    if renderer:
        from bea_ros.simulation import film

        return film.Film(recording, arena, *size, slow=slow)
    from bea_ros.simulation.overview import Overview

    print(NO_OPENGL)
    return Overview(recording, arena, *size)
