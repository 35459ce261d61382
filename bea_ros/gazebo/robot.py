# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's URDF with what Gazebo needs beside it: servos, joint states, friction, its marker."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from bea_ros.gazebo.world import marker_file, printed
from bea_ros.robots.description import MARKER, Robot
from bea_ros.robots.motors import REVOLVE_VELOCITY, check_motor
from bea_ros.robots.rotation import from_rpy
from bea_ros.simulation.motors import ARMATURE_PER_EFFORT, PROPORTIONAL_BAND
from bea_ros.simulation.physics import Physics

# Share of the joints' damping. DART resolves contacts as if there were none, so that what stands
# on the floor pushes a joint 1 + damping x time step / inertia times as far as it should: with all
# of the damping, about five times.
DAMPING = 0.1
STATE_RATE = 50.0  # joint states per s


def robot_urdf(robot: Robot, motor: str = "servo") -> str:
    """The robot's URDF, with extensions in <gazebo> elements, which other tools pass over.

    A servo's torque is proportional to its error up to the joint's effort limit, as in
    bea_ros.simulation.world; its command is the position of the last trajectory's point. What
    bounds its speed is the joint's velocity limit, not its damping. With motor "revolve" that
    limit is the motor's, and the controller's commands move as it would.
    """
    root = ElementTree.fromstring(robot.urdf)
    for dynamics in root.iterfind("joint/dynamics"):
        dynamics.set("damping", f"{float(dynamics.get('damping', 0)) * DAMPING:.6g}")
    if check_motor(motor) == "revolve":
        for limit in root.iterfind("joint[@type='revolute']/limit"):
            limit.set("velocity", f"{min(float(limit.get('velocity', 0)), REVOLVE_VELOCITY):.9g}")
    _add_rotors(root, robot)
    model = SubElement(root, "gazebo")
    SubElement(model, "self_collide").text = "true"
    model.append(_servos(robot))
    model.append(_joint_states(robot))
    friction = Physics().friction
    for link in robot.tree.collisions:
        surface = SubElement(root, "gazebo", reference=link)
        SubElement(surface, "mu1").text = SubElement(surface, "mu2").text = f"{friction:g}"
    _print_marker(root, robot)
    ElementTree.indent(root)
    return "<?xml version='1.0'?>\n" + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add_rotors(root: Element, robot: Robot) -> None:
    """Servos' rotors, as the embedded simulator has them: SDF has none, so links that they turn
    become as slow to turn, by a disc about the joint's axis (other inertias are refused).
    """
    turned = {joint.name: joint for joint in robot.tree.joints}
    for joint in robot.joints:
        inertial = root.find(f"link[@name='{turned[joint.name].child}']/inertial")
        assert inertial is not None  # which parse_urdf refuses
        origin = inertial.find("origin")
        rpy = "0 0 0" if origin is None else origin.get("rpy", "0 0 0")
        axis = from_rpy(*map(float, rpy.split())).T @ turned[joint.name].axis
        rotor = ARMATURE_PER_EFFORT * joint.effort
        disc = rotor / 2 * (np.eye(3) + np.outer(axis, axis))
        inertia = inertial.find("inertia")
        if inertia is None:
            inertia = SubElement(inertial, "inertia")
        for i, j in itertools.combinations_with_replacement(range(3), 2):
            name = f"i{'xyz'[i]}{'xyz'[j]}"
            inertia.set(name, f"{float(inertia.get(name, 0)) + disc[i, j]:.9g}")


def _servos(robot: Robot) -> Element:
    plugin = Element(
        "plugin",
        filename="gz-sim-joint-trajectory-controller-system",
        name="gz::sim::systems::JointTrajectoryController",
    )
    SubElement(plugin, "topic").text = "joint_trajectory"
    for joint in robot.joints:
        values = {
            "joint_name": joint.name,
            "position_p_gain": f"{joint.effort / PROPORTIONAL_BAND:.9g}",
            "position_cmd_min": f"{-joint.effort:.9g}",
            "position_cmd_max": f"{joint.effort:.9g}",
        }
        for tag, value in values.items():
            SubElement(plugin, tag).text = value
    return plugin


def _joint_states(robot: Robot) -> Element:
    plugin = Element(
        "plugin",
        filename="gz-sim-joint-state-publisher-system",
        name="gz::sim::systems::JointStatePublisher",
    )
    SubElement(plugin, "topic").text = "joint_states"
    SubElement(plugin, "update_rate").text = f"{STATE_RATE:g}"
    for joint in robot.joints:
        SubElement(plugin, "joint_name").text = joint.name
    return plugin


def _print_marker(root: Element, robot: Robot) -> None:
    """The marker on its plate, whose white margin the picture has already."""
    (link,) = (link for link in root.iter("link") if link.get("name") == MARKER)
    for visual in link.findall("visual"):
        if visual.get("name") == MARKER:
            link.remove(visual)
    plate = SubElement(root, "gazebo", reference=MARKER)
    printed(SubElement(plate, "visual"), marker_file(robot.marker.id))
