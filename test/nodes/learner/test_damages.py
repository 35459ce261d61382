# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Joints that break while a run lasts, and a simulator that comes back with other damages."""

from pathlib import Path

import pytest
from bea_ros_interfaces.msg import LearnerStatus
from bystander import Bystander
from graph import evaluations_in
from played_learning import Learning
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from separate_nodes import Graph

from bea_ros.robots import load_robot

pytestmark = pytest.mark.graph


def test_damages_change_while_a_simulator_runs_but_not_by_starting_it_again(
    domain: int, tmp_path: Path
) -> None:
    own = f"robot {load_robot('spider9').check}, process"
    with Learning(tmp_path / "run", domain, "/damaged") as learning:
        learning.robot.reset_settings = f"{own} 1, damage.leg_00 none"
        learning.goes_on()
        learning.robot.reset_settings = f"{own} 1, damage.leg_00 limp"
        learning.goes_on()
        learning.robot.reset_settings = f"{own} 2, damage.leg_00 none"
        said = "has damage.leg_00 none, this run damage.leg_00 limp"
        learning.becomes(LearnerStatus.STATE_PAUSED, said)
        learning.robot.reset_settings = f"{own} 2, damage.leg_00 limp"
        learning.ask("resume")
        learning.goes_on()


@pytest.mark.slow
def test_joints_break_in_a_running_simulator_but_not_by_starting_it_again(
    domain: int, tmp_path: Path
) -> None:
    with Graph(tmp_path, domain, 10**6, reset="service") as graph, Bystander(domain) as one:

        def goes_on() -> None:
            had = evaluations_in(tmp_path)
            one.wait_for(lambda: evaluations_in(tmp_path) >= had + 2)

        def break_it(word: str) -> None:
            broken = Parameter("damage.leg_00", value=word).to_parameter_msg()
            client = one.node.create_client(SetParameters, "simulator/set_parameters")
            one.wait_for(client.service_is_ready)
            (result,) = one.call(client, SetParameters.Request(parameters=[broken])).results
            assert result.successful, result.reason

        goes_on()
        break_it("limp")
        goes_on()
        assert not any(state.state == LearnerStatus.STATE_PAUSED for state in one.states)
        graph.kill("simulator")
        graph.start("simulator")
        said = "the robot has damage.leg_00 none, this run damage.leg_00 limp"
        one.wait_for(lambda: one.resumed_until(said))
        had = evaluations_in(tmp_path)
        break_it("limp")
        one.ask("learner/resume")
        one.wait_for(lambda: evaluations_in(tmp_path) >= had + 2)
        assert not one.paused()
