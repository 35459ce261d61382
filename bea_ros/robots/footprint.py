# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The frame base_footprint, on the floor below the robot, as root of its frames (REP-120)."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import SubElement

from bea_ros.robots.description import Robot

FOOTPRINT = "base_footprint"


def with_footprint(robot: Robot) -> str:
    """Return the robot's URDF with a massless root link on the floor, below the upright robot.

    robot_state_publisher warns about a root with a mass.
    """
    root = ElementTree.fromstring(robot.urdf)
    SubElement(root, "link", name=FOOTPRINT)
    joint = SubElement(root, "joint", name=f"{FOOTPRINT}_joint", type="fixed")
    SubElement(joint, "parent", link=FOOTPRINT)
    SubElement(joint, "child", link=robot.tree.root)
    SubElement(joint, "origin", xyz=f"0 0 {robot.standing_height:.9g}", rpy="0 0 0")
    return ElementTree.tostring(root, encoding="unicode")
