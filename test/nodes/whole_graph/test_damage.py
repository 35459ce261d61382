# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated robot whose joints break: from the start on, and while it moves."""

import pytest
from graph import SHORT, learn_here, learned_alone, log_of, one_line
from peer import Peer
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from bea_ros.__main__ import main
from bea_ros.nodes.shared.qos import CONTROL
from bea_ros.runs.folder.head import read_request


@pytest.mark.graph
def test_joints_break_and_are_mended_while_the_simulator_runs(domain):
    """Nobody commands them: those that are whole stay where they are, in the middle."""
    words = ("-p", "lockstep:=false", "-p", "damage.leg_10:=stuck:0.6")
    angles: dict[str, float] = {}

    def on_angles(message: JointState) -> None:
        angles.update(zip(message.name, message.position, strict=True))

    with Peer("simulator", domain, *words) as beside:
        client = beside.node.create_client(SetParameters, "/simulator/set_parameters")

        def change(joint: str, word: str) -> str:
            """Empty, or why it is refused."""
            changed = Parameter(f"damage.{joint}", value=word).to_parameter_msg()
            asked = SetParameters.Request(parameters=[changed])
            (result,) = beside.call(client, asked).results
            return "" if result.successful else result.reason or "refused"

        beside.node.create_subscription(JointState, "joint_states", on_angles, CONTROL)
        beside.wait_for(client.service_is_ready)
        beside.wait_for(lambda: abs(angles.get("leg_10", 0.0) - 0.6) < 0.05)
        assert abs(angles["leg_00"]) < 0.1
        assert change("leg_00", "stuck:-0.5") == ""
        beside.wait_for(lambda: abs(angles["leg_00"] + 0.5) < 0.05)
        assert abs(angles["leg_10"] - 0.6) < 0.05
        assert change("leg_10", "none") == ""
        beside.wait_for(lambda: abs(angles["leg_10"]) < 0.1)
        assert "allowed is one of none, limp, stuck, missing" in change("leg_00", "gone")
        assert change("arm", "limp")


def test_a_damage_changes_the_log_and_stays_the_runs(tmp_path, capsys):
    damage = "leg_00=limp,leg_10=stuck:0.5,leg_20=missing"
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    learned_alone(broken, 5, *SHORT, "--no-images", "--damage", damage)
    learned_alone(whole, 5, *SHORT, "--no-images")
    assert log_of(broken) != log_of(whole)
    assert read_request(broken)["damage"] == damage
    before = log_of(broken)
    learned_alone(broken, 6)
    assert log_of(broken)[:5] == before
    assert learn_here(broken, 7, "--damage", "leg_00=limp") == 2
    assert f"is a run with damage '{damage}', not 'leg_00=limp'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--damage", "leg_00=gone"), "allowed is one of none, limp, stuck, missing"),
        (("--damage", "arm=limp"), "no joint 'arm' to damage"),
        (("--damage", "leg_00"), "JOINT=limp"),
        (
            ("--damage", "leg_00=limp", "--robot-backend", "hardware"),
            "damage is for robot_backend simulator",
        ),
    ],
)
def test_a_damage_that_cannot_be_is_refused_in_a_line(options, reason, tmp_path, capsys):
    assert main(["learn", "--output", str(tmp_path / "run"), *options]) == 2
    one_line(capsys.readouterr().err, reason)
    assert not (tmp_path / "run").exists()
