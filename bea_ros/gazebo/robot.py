# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's URDF with Gazebo's extensions: servos, joint states, friction, marker."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from bea_ros.gazebo.world import marker_file, printed, text
from bea_ros.robots.description import MARKER, Robot
from bea_ros.robots.motors import REVOLVE_VELOCITY, check_motor
from bea_ros.robots.rotation import from_rpy
from bea_ros.simulation.motors import ARMATURE_PER_EFFORT, PROPORTIONAL_BAND
from bea_ros.simulation.physics import Physics

# Share of the joints' damping. DART resolves contacts as if there were no damping. Contacts with
# the floor push a joint too far, by a factor of 1 + damping x time step / inertia: about five with
# the full damping.
DAMPING = 0.1
DESCRIBED = ("link", "joint", "material")  # other elements may name libraries that Gazebo loads
STATE_RATE = 50.0  # joint states per s


def robot_urdf(robot: Robot, motor: str) -> str:
    """Return the robot's URDF with extensions in <gazebo> elements, which other tools ignore.

    A servo's torque is proportional to its error up to the joint's effort limit, as in
    bea_ros.simulation.motors; its command is the position of the last trajectory's point. The
    joint's velocity limit bounds its speed, not its damping. With motor "revolve", that limit is
    the motor's, and the controller's commands already move like this motor. Other elements of the
    URDF are left out, as a stranger's may run code.
    """
    root = ElementTree.fromstring(robot.urdf)
    root[:] = [element for element in root if element.tag in DESCRIBED]
    for dynamics in root.iterfind("joint/dynamics"):
        dynamics.set("damping", f"{float(dynamics.get('damping', 0)) * DAMPING:.6g}")
    if check_motor(motor) == "revolve":
        for limit in root.iterfind("joint[@type='revolute']/limit"):
            limit.set("velocity", f"{min(float(limit.get('velocity', 0)), REVOLVE_VELOCITY):.9g}")
    _add_rotors(root, robot)
    model = SubElement(root, "gazebo")
    text(model, "self_collide", "true")
    model.append(_servos(robot))
    model.append(_joint_states(robot))
    for link in robot.tree.collisions:
        surface = SubElement(root, "gazebo", reference=link)
        text(surface, "mu1", Physics().friction)
        text(surface, "mu2", Physics().friction)
    _print_marker(root, robot)
    ElementTree.indent(root)
    return "<?xml version='1.0'?>\n" + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add_rotors(root: Element, robot: Robot) -> None:
    """Add the servos' rotor inertias, as in the embedded simulator. SDF has none, so the inertia
    of a disc about the joint's axis is added to its child link (Gazebo refuses other inertias).
    """
    turned = {joint.name: joint for joint in robot.tree.joints}
    for joint in robot.joints:
        inertial = root.find(f"link[@name='{turned[joint.name].child}']/inertial")
        assert inertial is not None  # parse_urdf refuses it
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
    text(plugin, "topic", "joint_trajectory")
    for joint in robot.joints:
        text(plugin, "joint_name", joint.name)
        text(plugin, "position_p_gain", joint.effort / PROPORTIONAL_BAND)
        text(plugin, "position_cmd_min", -joint.effort)
        text(plugin, "position_cmd_max", joint.effort)
    return plugin


def _joint_states(robot: Robot) -> Element:
    plugin = Element(
        "plugin",
        filename="gz-sim-joint-state-publisher-system",
        name="gz::sim::systems::JointStatePublisher",
    )
    text(plugin, "topic", "joint_states")
    text(plugin, "update_rate", STATE_RATE)
    for joint in robot.joints:
        text(plugin, "joint_name", joint.name)
    return plugin


def _print_marker(root: Element, robot: Robot) -> None:
    """Put the marker's picture on its plate; the picture includes the white margin."""
    (link,) = (link for link in root.iter("link") if link.get("name") == MARKER)
    for visual in link.findall("visual"):
        if visual.get("name") == MARKER:
            link.remove(visual)
    plate = SubElement(root, "gazebo", reference=MARKER)
    printed(SubElement(plate, "visual"), marker_file(robot.marker.id))
