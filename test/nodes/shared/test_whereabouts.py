# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What keeps a robot that nobody puts back from beginning, in words for its operator."""

import math
import re

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseWithCovarianceStamped
from graph import wait_for
from guest import Guest
from rclpy.time import Duration

from bea_ros.bags.sightings import sighting_of
from bea_ros.localization.arena import load_arena
from bea_ros.nodes.shared.qos import RESULTS
from bea_ros.nodes.shared.robot import whereabouts
from bea_ros.robots import load_robot

pytestmark = pytest.mark.graph


@pytest.fixture
def objection(domain, monkeypatch):
    """What is said of a robot at y (m), tilted (rad), in images of some age (s)."""
    guest = Guest("learner", domain)
    node, executor = guest.node, guest.executor
    poses = node.create_publisher(PoseWithCovarianceStamped, "pose", RESULTS)
    one = whereabouts.Whereabouts(node, load_arena(load_robot("spider9")), 0.5)

    def ask(y=0.0, tilt=0.0, age=0.0, arrives=True):
        found = arrives and not age
        monkeypatch.setattr(whereabouts, "LOOK", 60.0 if found else 1.0)
        pose = PoseWithCovarianceStamped()
        pose.pose.pose.position.y = y
        pose.pose.pose.orientation.x = math.sin(tilt / 2)
        pose.pose.pose.orientation.w = math.cos(tilt / 2)

        def spin(seconds):
            pose.header.stamp = (node.get_clock().now() - Duration(seconds=age)).to_msg()
            poses.publish(pose)
            executor.spin_once(timeout_sec=seconds)

        def came():
            sent, found = sighting_of(pose), one.sighting
            return (found.y, found.tilt) == (sent.y, sent.tilt)

        while arrives and not came():  # the one before is forgotten
            spin(0.1)
        return one.objection(spin)

    ask.node, ask.one = node, one

    def nobody():
        monkeypatch.setattr(whereabouts, "LOOK", 1.0)
        return one.objection(lambda seconds: executor.spin_once(timeout_sec=seconds))

    ask.nobody = nobody
    yield ask
    guest.close()


def test_what_is_wrong_is_said(objection):
    assert objection.nobody() == "the robot is not seen"
    assert objection() == ""
    assert objection(y=1.2).startswith("the robot is 0.30 m from the arena's edge: put it back")
    assert objection(tilt=math.pi) == "the robot is tilted by 180 degrees: put it on its feet"
    # A busy machine makes images older, or brings none in time.
    said = r"the images' clock is 7\.\d s behind this machine's: set the clocks right"
    wait_for(lambda: re.fullmatch(said, objection(age=7.0)))
    wait_for(lambda: re.search(r"0\.[2-8] s ahead of this machine's", objection(age=-0.8)))
    wait_for(lambda: re.search(r"(20\.0|19\.\d) s ahead of", objection(age=-20.0, tilt=1.0)))


def test_a_margin_that_leaves_no_place_is_said(objection):
    said = "the robot is 1.50 m from the arena's edge, and no place is 1.6 m from it: set"
    objection.one.margin = 1.6  # m, of an arena of 4 x 3 m
    assert objection().startswith(said)


def test_why_it_is_not_seen_is_what_its_own_localization_says(objection):
    said = objection.node.create_publisher(DiagnosticArray, "/diagnostics", RESULTS)
    status = {
        name: DiagnosticStatus(
            name=f"{name}: tracking", level=DiagnosticStatus.WARN, message=f"{name} is blind"
        )
        for name in ("camera_localization", "other/camera_localization")
    }
    words = "the robot is not seen"
    for _ in range(60):  # until they have found each other
        said.publish(DiagnosticArray(status=list(status.values())))
        if (words := objection.nobody()) != "the robot is not seen":
            break
    assert words == "the robot is not seen: camera_localization is blind"
    assert objection() == ""


def test_a_pose_that_is_no_number_shows_no_robot(objection):
    assert objection(y=math.nan, arrives=False) == "the robot is not seen"
    assert objection(tilt=math.nan, arrives=False) == "the robot is not seen"
    assert objection() == ""


def test_of_two_who_say_where_the_robot_is_none_is_heeded(objection):
    assert objection() == ""
    stranger = objection.node.create_publisher(PoseWithCovarianceStamped, "pose", RESULTS)
    assert objection(arrives=False).startswith("2 publish /pose: all are ignored")
    objection.node.destroy_publisher(stranger)
    assert objection() == ""
