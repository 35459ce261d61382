# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Fitness as the camera sees it against the simulator's own truth, over random controllers."""

import math

import numpy as np
import pytest

from bea_ros.localization.arena import Arena, Marker
from bea_ros.localization.pose import Prior
from bea_ros.localization.tracker import Tracker
from bea_ros.localization.window import SECOND, Sighting, Trust, trajectory_in
from bea_ros.resources import resource_path
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CommandLimiter, CpgNetwork
from bea_ros.simulation.camera import Appearance, OverheadCamera, overhead_pose
from bea_ros.simulation.world import World
from bea_ros.tasks import Trajectory, find_task

CONTROL_RATE, IMAGE_RATE = 20, 4
TOLERANCE = {  # relative, and absolute where the robot hardly moves
    "gait": (0.02, 0.002),
    "directed_locomotion": (0.03, 0.005),
    "rotating": (0.03, 0.03),
}


class Laboratory:
    """A robot in its arena under the camera, without ROS."""

    def __init__(self, name):
        self.robot = load_robot(name)
        self.world = World(self.robot)
        marker = self.robot.marker
        known = Arena.load(resource_path("config/arena.yaml"))
        self.arena = Arena(
            known.width, known.depth, Marker(marker.id, marker.size), known.floor_markers
        )
        self.camera = OverheadCamera(
            self.arena, pose=overhead_pose(2.5, roll=0.02, pitch=-0.015), appearance=Appearance()
        )
        self.sizes = [box.size for box in self.robot.modules]
        self.colours = [np.array(box.colour[:3]) * 255 for box in self.robot.modules]

    def try_out(self, parameters, duration):
        """The trajectory that the camera saw, and the true one."""
        cpg = CpgNetwork(self.robot, parameters)
        limiter = CommandLimiter(self.robot.joints)
        tracker = Tracker(
            self.arena,
            self.camera.intrinsics,
            self.robot.marker.pose,
            Prior(self.robot.standing_height),
        )
        self.world.reset()
        seen, true = [], []
        for tick in range(duration * CONTROL_RATE + 1):
            t = tick / CONTROL_RATE
            pose = self.world.base_pose()
            true.append((t, pose[0, 3], pose[1, 3], math.atan2(pose[1, 0], pose[0, 0])))
            if tick % (CONTROL_RATE // IMAGE_RATE) == 0:
                image = self.camera.render(
                    self.sizes, self.colours, self.world.module_poses(),
                    self.world.marker_pose(), seed=tick,
                )  # fmt: skip
                found = tracker.update(image, t)
                if found:
                    stamp = round(t * SECOND)
                    seen.append(Sighting(stamp, found.x, found.y, found.yaw, found.tilt))
            self.world.step(limiter.limit(cpg.output(t), 1 / CONTROL_RATE), 1 / CONTROL_RATE)
        t, x, y, yaw = np.array(true).T
        truth = Trajectory(t, x, y, np.unwrap(yaw))
        return trajectory_in(seen, 0, duration, self.arena, Trust()), truth


@pytest.mark.parametrize("name", ["spider9", "gecko7", "babyA"])
def test_fitness_agrees_with_the_truth(name):
    laboratory = Laboratory(name)
    rng = np.random.default_rng(5)
    for _ in range(4):
        parameters = rng.uniform(0, 1, len(laboratory.robot.parameter_names))
        seen, true = laboratory.try_out(parameters, 30)
        for task, (relative, absolute) in TOLERANCE.items():
            measured = find_task(task).evaluate(seen).value
            actual = find_task(task).evaluate(true).value
            assert measured == pytest.approx(actual, rel=relative, abs=absolute), task
