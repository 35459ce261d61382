# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""When simulated time stands still, and what is said meanwhile."""

from __future__ import annotations

from peer import Peer
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from bea_ros.nodes.shared.qos import CLOCK, CONTROL, RESULTS, images
from bea_ros.nodes.shared.stamps import to_nanoseconds, to_stamp
from bea_ros.robots import load_robot

NAMES = [joint.name for joint in load_robot("spider9").joints]


def command_of(now: int, position: float) -> JointTrajectory:
    """All joints to a position (rad), from a time (ns) on."""
    message = JointTrajectory(joint_names=NAMES)
    message.header.stamp = to_stamp(now)
    message.points.append(JointTrajectoryPoint(positions=[position] * len(NAMES)))
    return message


def test_a_candidate_that_stops_during_a_reset_lets_no_time_pass_after_it(domain: int) -> None:
    with Peer("simulator", domain, "-p", "robot:=spider9") as peer:
        node, told, shown = peer.node, [], []
        commands = node.create_publisher(JointTrajectory, "joint_trajectory", CONTROL)
        processed = node.create_publisher(Header, "image_processed", RESULTS)

        def on_clock(message: Clock) -> None:
            """At each time a candidate drives the joints, is stopped, and then the image is seen.

            The simulator repeats the clock while it waits.
            """
            told.append(to_nanoseconds(message.clock))
            times = told.count(told[-1])
            if times < 3:
                commands.publish(command_of(told[-1], 0.5 if times == 1 else 0.0))
            elif shown:
                processed.publish(shown[-1].header)

        node.create_subscription(Clock, "/clock", on_clock, CLOCK)
        node.create_subscription(Image, "image_raw", shown.append, images(reliable=True))
        reset = node.create_client(Trigger, "reset")
        peer.wait_for(reset.service_is_ready)
        done = reset.call_async(Trigger.Request())
        peer.wait_for(done.done)
        assert done.result().success
        stands = told[-1]
        peer.wait_for(lambda: told.count(stands) > 20 or told[-1] > stands)
        assert told[-1] == stands


def test_a_localization_that_starts_late_gets_the_calibration_with_the_image(domain: int) -> None:
    """Time stands until the image is processed, so no further one brings the calibration."""
    with Peer("simulator", domain, "-p", "robot:=spider9") as peer:
        node, infos, told, stamps = peer.node, [], [], []
        commands = node.create_publisher(JointTrajectory, "joint_trajectory", CONTROL)
        processed = node.create_publisher(Header, "image_processed", RESULTS)

        def on_clock(message: Clock) -> None:
            """The robot moves once time stands still at its start."""
            told.append(to_nanoseconds(message.clock))
            begun = len(told) > 20
            commands.publish(command_of(told[-1], 0.5 if begun else 0.0))

        def on_image(message: Image) -> None:
            stamps.append(to_nanoseconds(message.header.stamp))
            if len(set(stamps)) < 10:
                processed.publish(message.header)

        node.create_subscription(Clock, "/clock", on_clock, CLOCK)
        node.create_subscription(Image, "image_raw", on_image, images(reliable=True))
        peer.wait_for(lambda: len(set(stamps)) == 10 and stamps.count(stamps[-1]) > 1)
        node.create_subscription(CameraInfo, "camera_info", infos.append, images(reliable=True))
        peer.wait_for(lambda: infos)
        assert to_nanoseconds(infos[-1].header.stamp) == stamps[-1]
