# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's place on the floor as the root of its tree of frames (REP-120)."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import SubElement

from bea_ros.robots.description import Robot

FOOTPRINT = "base_footprint"


def with_footprint(robot: Robot) -> str:
    """The robot's URDF below a link without mass, on the floor where the robot stands upright.

    robot_state_publisher has no use for the mass of a root, and warns of it.
    """
    root = ElementTree.fromstring(robot.urdf)
    SubElement(root, "link", name=FOOTPRINT)
    joint = SubElement(root, "joint", name=f"{FOOTPRINT}_joint", type="fixed")
    SubElement(joint, "parent", link=FOOTPRINT)
    SubElement(joint, "child", link=robot.tree.root)
    SubElement(joint, "origin", xyz=f"0 0 {robot.standing_height:.9g}", rpy="0 0 0")
    return ElementTree.tostring(root, encoding="unicode")
