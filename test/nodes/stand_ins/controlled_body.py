# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The body of a robot whose joints a controller of ros2_control moves, and a camera above it."""

import sys

from controller_stand_in import StandIn
from servo_body import Body

from bea_ros.nodes.shared.process import run_node


class ControlledBody(Body):
    """It is the controller, too."""

    def __init__(self):
        super().__init__("joint_trajectory_controller")
        joints = [joint.name for joint in self.world.robot.joints]
        self.controller = StandIn(self, "trajectory", joints)

    def move(self):
        self.controller.update()
        return self.controller.position.tolist()


if __name__ == "__main__":
    sys.exit(run_node(ControlledBody))
