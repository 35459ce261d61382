# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The validator with a real robot, which is played: it is put back by hand, and waited for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bea_ros_interfaces.srv import EvaluateFitness
from geometry_msgs.msg import PoseWithCovarianceStamped
from graph import after, refusal, wait_for
from peer import Peer
from robot_player import FITNESS, RobotPlayer
from std_msgs.msg import Bool
from trajectory_msgs.msg import JointTrajectory

from bea_ros.nodes.shared.qos import LATCHED, RESULTS
from bea_ros.report.trials import TRIALS
from bea_ros.runs.folder.head import REQUEST, read_head
from bea_ros.system.yaml_files import sealed

pytestmark = pytest.mark.graph


class Validation(Peer):
    """A validator, its robot, which is played, and where the robot is."""

    def __init__(self, run: Path, output: Path, domain: int, put_back: float) -> None:
        values = {"runs": f"['{run}']", "robot": "gecko7", "repetitions": 2, "duration": 2.0,
                  "output": output, "put_back": put_back, "settle": 0.5}  # fmt: skip
        words = [word for name, value in values.items() for word in ("-p", f"{name}:={value}")]
        self.output = output
        super().__init__("validator", domain, *words, namespace="/two")
        self.robot = RobotPlayer(self.node)
        self.poses = self.node.create_publisher(PoseWithCovarianceStamped, "pose", RESULTS)
        self.x = 0.0
        self.node.create_timer(0.05, self.tell_pose)

    def tell_pose(self) -> None:
        message = PoseWithCovarianceStamped()
        message.header.stamp = self.node.get_clock().now().to_msg()
        message.pose.pose.position.x = self.x
        message.pose.pose.orientation.w = 1.0
        self.poses.publish(message)

    def asked(self, evaluation: int) -> bool:
        return evaluation in self.robot.asked

    def fitness(self) -> list[float | None]:
        """What was measured, when all of it was."""
        self.exit_code()
        lines = (self.output / TRIALS).read_text().splitlines()
        return [json.loads(line)["fitness"] for line in lines]


@pytest.fixture
def validation(
    make_run: Callable[..., Path], domain: int, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Validation]:
    """With the time (s) that the robot has to stand, if a test asks for one."""
    put_back = getattr(request, "param", 0.5)
    with Validation(make_run(), tmp_path / "validation", domain, put_back) as made:
        yield made


def test_runs_whose_controllers_differ_are_not_tried_by_one(
    make_run: Callable[..., Path], domain: int
) -> None:
    plain, paper = make_run(), make_run(seed=2)
    head = read_head(paper)
    assert head is not None
    request = {**head["request"], "profile": "paper"}
    (paper / REQUEST).write_bytes(sealed({**head, "request": request}))
    words = ("-p", f"runs:=['{plain}', '{paper}']", "-p", "robot:=gecko7")
    assert refusal("validator", domain, *words) == (
        f"validator: {paper} has profile paper, {plain} default: their controllers differ, try "
        "them apart"
    )


# Longer than a busy machine keeps this process from saying where the robot is.
@pytest.mark.parametrize("validation", [6.0], indirect=True)
def test_a_robot_at_the_edge_is_waited_for_until_it_stands(validation: Validation) -> None:
    robot = validation.robot
    robot.hold()
    validation.wait_for(lambda: validation.asked(1))
    validation.x = 1.9  # it walked to the edge meanwhile
    robot.release()
    validation.wait_for(lambda: (validation.output / TRIALS).exists())
    now = robot.now
    for _ in range(40):  # carried back, which takes longer than it has to stand
        validation.x -= 1.9 / 40
        validation.listen(0.05)
        assert not validation.asked(2)
        assert not robot.told.names
    validation.wait_for(lambda: validation.asked(2))
    assert robot.now > now
    assert validation.fitness() == [FITNESS, FITNESS]


def test_nothing_is_told_while_the_servos_are_relaxed(validation: Validation) -> None:
    robot = validation.robot
    armed = validation.node.create_publisher(Bool, "armed", LATCHED)
    robot.hold()
    validation.wait_for(lambda: validation.asked(1))
    validation.x = 1.9
    robot.release()
    validation.wait_for(lambda: robot.resets == 2)
    validation.listen(0.2)  # now it waits for the robot to be put back
    armed.publish(Bool(data=False))  # to take one's time
    validation.listen(0.2)
    validation.x = 0.0
    stood = after(2.0)
    while not stood():
        validation.spin()
        assert not robot.told.names
    armed.publish(Bool(data=True))
    assert validation.fitness() == [FITNESS, FITNESS]


@pytest.mark.parametrize("validation", [6.0], indirect=True)
def test_a_robot_that_was_relaxed_in_a_trial_has_to_stand_once_it_is_armed(
    validation: Validation,
) -> None:
    robot = validation.robot
    armed = validation.node.create_publisher(Bool, "armed", LATCHED)
    robot.hold()
    validation.wait_for(lambda: validation.asked(1))
    armed.publish(Bool(data=False))
    validation.wait_for(lambda: not robot.told.names)
    robot.release()
    validation.wait_for(lambda: robot.resets >= 2)
    armed.publish(Bool(data=True))
    stood = after(3.0)  # half of what it has to
    while not stood():
        validation.spin()
        assert not robot.told.names
    assert validation.fitness() == [FITNESS, FITNESS]


def test_what_cannot_be_trusted_is_tried_again(validation: Validation) -> None:
    lost = EvaluateFitness.Response(success=False, message="not seen for 2 s")
    validation.robot.nonsense = [lost, lost, lost, lost]
    validation.wait_for(lambda: validation.robot.asked == [1, 1, 1, 2, 2])
    assert validation.fitness() == [None, FITNESS]


def test_who_waits_or_gives_up_leaves_no_candidate_told(validation: Validation) -> None:
    robot, node = validation.robot, validation.node
    robot.hold()
    validation.wait_for(lambda: validation.asked(1))
    two = [node.create_publisher(JointTrajectory, "joint_trajectory", 1) for _ in "ab"]
    validation.wait_for(lambda: not robot.told.names)
    for one in two:
        node.destroy_publisher(one)
    validation.wait_for(lambda: len(robot.asked) > 1)  # it had only waited for one to leave
    robot.vanish()
    assert validation.exit_code() == 1
    wait_for(lambda: not robot.told.names, lambda: validation.executor.spin_once(timeout_sec=0.01))
