# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The process that draws the images, while it lives, when it ends, and when its owner ends."""

import os
import signal
import subprocess
import sys

import numpy as np
import psutil
import pytest
from graph import wait_for

from bea_ros.localization.arena import load_arena
from bea_ros.robots import load_robot
from bea_ros.simulation.camera.drawing import DrawingProcess
from bea_ros.simulation.camera.overhead import OverheadCamera, looks_of
from bea_ros.simulation.world import World

HANGS = 30.0  # s
OWNER = """
import time
from bea_ros.localization.arena import load_arena
from bea_ros.robots import load_robot
from bea_ros.simulation.camera.drawing import DrawingProcess
from bea_ros.simulation.camera.overhead import OverheadCamera, looks_of
robot = load_robot("gecko7")
drawing = DrawingProcess(OverheadCamera(load_arena(robot)), looks_of(robot))
print(drawing._process.pid, flush=True)
time.sleep(1000)
"""


def drawing_of(name: str, encoding: str = "mono8") -> tuple[DrawingProcess, World]:
    robot = load_robot(name)
    camera = OverheadCamera(load_arena(robot), encoding=encoding)
    return DrawingProcess(camera, looks_of(robot)), World(robot)


def scenes(world: World, count: int) -> list:
    found = []
    for i in range(count):
        world.reset(0.1 * i, -0.05 * i, 0.3 * i)
        found.append(world.scene())
    return found


@pytest.mark.parametrize("encoding", ["mono8", "rgb8"])
def test_images_are_those_of_the_camera(encoding):
    drawing, world = drawing_of("gecko7", encoding)
    seen = scenes(world, 6)
    camera, looks = drawing.camera, looks_of(world.robot)
    expected = [camera.render(*looks, *scene, seed=i) for i, scene in enumerate(seen)]
    with drawing:
        for _ in range(2):  # at first before the process is set up
            for i, scene in enumerate(seen[:3]):
                drawing.begin(scene, i)
            for i in range(3, 6):
                assert (drawing.take() == expected[i - 3]).all()
                drawing.begin(seen[i], i)
            drawing.forget()
            wait_for(drawing._is_ready)


def test_images_go_on_where_the_process_was_killed():
    drawing, world = drawing_of("spider9")
    seen = scenes(world, 8)
    looks = looks_of(world.robot)
    expected = [drawing.camera.render(*looks, *scene, seed=i) for i, scene in enumerate(seen)]
    with drawing:
        wait_for(drawing._is_ready)
        found = []
        for i in range(4):
            drawing.begin(seen[i], i)
        found.append(drawing.take())
        os.kill(drawing._process.pid, signal.SIGKILL)
        for i in range(4, 8):
            drawing.begin(seen[i], i)
        found += [drawing.take() for _ in range(7)]
    assert np.array_equal(found, expected)
    assert not psutil.pid_exists(drawing._process.pid)


def test_process_ends_with_its_owner():
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    try:
        drawing = psutil.Process(int(owner.stdout.readline()))
    finally:
        owner.kill()
        owner.communicate()
    drawing.wait(HANGS)
