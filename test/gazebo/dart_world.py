# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Gazebo's physics without Gazebo: DART as gz-physics sets it up, and the robot of `bea gazebo`.

`python test/gazebo/dart_world.py` prints how far it agrees with the embedded simulator.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import dartpy
import numpy as np
from scipy.stats import spearmanr

from bea_ros.gazebo.robot import robot_urdf
from bea_ros.gazebo.world import TIME_STEP
from bea_ros.robots import Robot, load_robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.simulation.motors import PROPORTIONAL_BAND
from bea_ros.simulation.physics import Physics
from bea_ros.simulation.rollout import rollout
from bea_ros.simulation.world import SETTLING_TIME, World
from bea_ros.tasks import find_task

TASKS = ("gait", "directed_locomotion", "rotating")
ROBOTS = ("spider9", "gecko7", "babyA")


class DartWorld:
    """A robot on a floor, with what bea_ros.simulation.rollout needs of a World."""

    motor = "servo"

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._model = _model(robot)
        names = [self._model.getDof(i).getName() for i in range(self._model.getNumDofs())]
        self._driven = np.array([names.index(joint.name) for joint in robot.joints])
        self._effort = np.array([joint.effort for joint in robot.joints])
        self._forces = np.zeros(len(names))
        self._world = _world(self._model)
        self._steps = 0
        positions = self._model.getPositions()
        positions[5] = robot.spawn_height
        self._model.setPositions(positions)
        self.step(np.array([j.neutral for j in robot.joints]), SETTLING_TIME)
        self._home = self._model.getPositions()
        self._start = np.linalg.inv(_upright(self._root()))

    @property
    def time(self) -> float:
        return self._steps * TIME_STEP

    def reset(self, *start: float) -> None:
        """Back to where it settled, at rest."""
        self._model.setPositions(self._home)
        self._model.setVelocities(np.zeros(len(self._home)))
        self._steps = 0

    def step(self, targets: np.ndarray, duration: float) -> None:
        """Gazebo's controller of trajectories sets a torque at each step."""
        for _ in range(round(duration / TIME_STEP)):
            error = targets - self._model.getPositions()[self._driven]
            torques = self._effort / PROPORTIONAL_BAND * error
            self._forces[self._driven] = np.clip(torques, -self._effort, self._effort)
            self._model.setForces(self._forces)
            self._world.step()
            self._steps += 1

    def base_pose(self) -> np.ndarray:
        return self._start @ self._root()

    def _root(self) -> np.ndarray:
        return np.asarray(self._model.getRootBodyNode().getTransform().matrix())


def _model(robot: Robot) -> dartpy.dynamics.Skeleton:
    root = ElementTree.fromstring(robot_urdf(robot, "servo"))
    for gazebo in root.findall("gazebo"):
        root.remove(gazebo)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(ElementTree.tostring(root, encoding="unicode"))
        model = dartpy.utils.DartLoader().parseSkeleton(str(path))
    model.enableSelfCollisionCheck()
    model.disableAdjacentBodyCheck()
    for i in range(model.getNumJoints()):
        model.getJoint(i).setLimitEnforcement(True)
    return model


def _world(model: dartpy.dynamics.Skeleton) -> dartpy.simulation.World:
    floor = dartpy.dynamics.Skeleton("floor")
    body = floor.createWeldJointAndBodyNodePair()[1]
    shape = body.createShapeNode(dartpy.dynamics.BoxShape([20.0, 20.0, 0.2]))
    shape.createCollisionAspect()
    shape.createDynamicsAspect()
    pose = np.eye(4)
    pose[2, 3] = -0.1
    floor.getJoint(0).setTransformFromParentBodyNode(pose)
    world = dartpy.simulation.World()
    world.setTimeStep(TIME_STEP)
    world.setGravity([0.0, 0.0, -Physics().gravity])
    for skeleton in (floor, model):
        for i in range(skeleton.getNumBodyNodes()):
            body = skeleton.getBodyNode(i)
            for k in range(body.getNumShapeNodes()):
                if body.getShapeNode(k).hasDynamicsAspect():
                    aspect = body.getShapeNode(k).getDynamicsAspect()
                    aspect.setFrictionCoeff(Physics().friction)
        world.addSkeleton(skeleton)
    world.getConstraintSolver().setCollisionDetector(dartpy.collision.OdeCollisionDetector())
    return world


def _upright(pose: np.ndarray) -> np.ndarray:
    """The pose on the floor below another, with its heading."""
    yaw = math.atan2(pose[1, 0], pose[0, 0])
    flat = np.eye(4)
    flat[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
    flat[:2, 3] = pose[:2, 3]
    return flat


def fitness(world: DartWorld | World, candidates: np.ndarray, duration: float) -> np.ndarray:
    """Of candidates (n, d), for `duration` s, in each of TASKS: (n, 3)."""
    found = []
    for candidate in candidates:
        moved = rollout(world, CpgNetwork(world.robot, candidate, 1.5, "tanh"), duration)
        found.append([find_task(name).evaluate(moved, duration).value for name in TASKS])
    return np.array(found)


def agreement(
    name: str, count: int = 20, duration: float = 10.0
) -> dict[str, tuple[float, float]]:
    """Of a robot's candidates, drawn, by task: Spearman's correlation between the two simulators,
    and their mean difference as a share of the range of fitness.
    """
    robot = load_robot(name)
    drawn = np.random.default_rng(1).random((count, len(robot.parameter_names)))
    ours, darts = (fitness(world, drawn, duration) for world in (World(robot), DartWorld(robot)))
    apart = np.abs(ours - darts).mean(axis=0) / np.ptp(darts, axis=0)
    ranks = [float(spearmanr(ours[:, i], darts[:, i]).statistic) for i in range(len(TASKS))]
    return dict(zip(TASKS, zip(ranks, apart.tolist(), strict=True), strict=True))


def main() -> None:
    """Print a line per case."""
    print(
        "| robot | task | Spearman | mean difference, of the range |\n| --- | --- | ---: | ---: |"
    )
    for name in ROBOTS:
        for task, (rank, apart) in agreement(name).items():
            print(f"| {name} | {task} | {rank:.2f} | {100 * apart:.0f} % |", flush=True)


if __name__ == "__main__":
    main()
