# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The kinematic tree of a URDF made of boxes, fixed and revolute joints."""

from __future__ import annotations

import hashlib
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bea_ros.robots.rotation import from_rpy, turned

NAMES = re.compile(r"[\w-]+")
CONTROL = re.compile(r'name="[^"]*(&#|[\t\n\r\x7f-\x9f])')  # MuJoCo and ElementTree read two names
Transform = NDArray[np.float64]  # (4, 4), homogeneous


class UrdfError(ValueError):
    """A URDF that is not a tree of boxes and hinges; the message is one line."""


def hash_of(urdf: str) -> str:
    """Return a hash of a URDF without comments (one has the path of the file) and spaces."""
    text = ElementTree.canonicalize(urdf, strip_text=True)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class Box:
    """A visual or collision box: size (3,) in m, pose (4, 4) in its link's frame, colour RGBA."""

    link: str
    name: str
    size: NDArray[np.float64]
    pose: Transform
    colour: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class UrdfJoint:
    """A joint; `origin` is the child's frame in the parent's at position 0, from `rpy` (rad)."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Transform
    rpy: tuple[float, ...]
    limits: dict[str, float]
    axis: tuple[float, ...] = (1.0, 0.0, 0.0)  # of a hinge, in the child's frame


@dataclass(frozen=True, eq=False)
class UrdfTree:
    """Links by name with their boxes, and the joints, parents before children."""

    name: str
    root: str
    joints: list[UrdfJoint]
    visuals: dict[str, list[Box]]
    collisions: dict[str, list[Box]]
    masses: dict[str, float]

    def poses(self, angles: Mapping[str, float]) -> dict[str, Transform]:
        """Return each link's pose in the root's frame at joints' angles (rad), 0 unless given."""
        poses: dict[str, Transform] = {self.root: np.eye(4)}
        for joint in self.joints:
            poses[joint.child] = poses[joint.parent] @ joint.origin
            if angle := angles.get(joint.name, 0.0):
                poses[joint.child] = poses[joint.child] @ turned(joint.axis, np.array([angle]))[0]
        return poses

    def anchors(self) -> dict[str, tuple[str, Transform]]:
        """Return each link's moving link (the root or a hinge's child), and its pose in that."""
        anchors = {self.root: (self.root, np.eye(4))}
        for joint in self.joints:
            if joint.kind == "fixed":
                link, pose = anchors[joint.parent]
                anchors[joint.child] = (link, pose @ joint.origin)
            else:
                anchors[joint.child] = (joint.child, np.eye(4))
        return anchors


@lru_cache(maxsize=8)  # a process loads its robot many times; nobody changes a tree
def parse_urdf(text: str) -> UrdfTree:
    """Parse a URDF; raises UrdfError, which names the link or joint."""
    try:
        robot = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise UrdfError(f"not XML: {error}") from error
    if CONTROL.search(text):
        raise UrdfError("a name has a line's end, or what else cannot be printed")
    if robot.find(".//texture") is not None:  # rviz would load it, from anywhere
        raise UrdfError("materials have a color only, no texture")
    if robot.find("mujoco") is not None:
        raise UrdfError("<mujoco> would change the embedded simulator alone")
    palette = {
        material.get("name", ""): _floats(material.find("color"), "rgba", 4)
        for material in robot.findall("material")
    }
    links = {link.get("name", ""): link for link in robot.findall("link")}
    visuals: dict[str, list[Box]] = {}
    collisions: dict[str, list[Box]] = {}
    masses: dict[str, float] = {}
    for name, link in links.items():
        visuals[name] = [_box(name, element, palette) for element in link.findall("visual")]
        collisions[name] = [_box(name, element, palette) for element in link.findall("collision")]
        mass = link.find("inertial/mass")
        masses[name] = 0.0 if mass is None else _floats(mass, "value", 1)[0]
        if not masses[name] > 0:
            raise UrdfError(f"link {name!r} needs an inertial with a mass above 0")
        for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):  # of NaN MuJoCo only warns
            _floats(link.find("inertial/inertia"), key, 1, "0")
    if not NAMES.fullmatch(robot.get("name", "")):  # it is also used in file names
        raise UrdfError(
            f"the robot's name {robot.get('name', '')!r} is not of letters, digits, _, -"
        )
    if not any(collisions.values()):
        raise UrdfError("no link has a collision box: nothing would touch the floor")
    root, joints = _sorted_from_root(
        [_joint(element, links) for element in robot.findall("joint")], set(links)
    )
    return UrdfTree(robot.get("name", ""), root, joints, visuals, collisions, masses)


def _sorted_from_root(joints: list[UrdfJoint], links: set[str]) -> tuple[str, list[UrdfJoint]]:
    for name, times in Counter(joint.name for joint in joints).items():
        if times > 1 or not name:
            raise UrdfError(
                f"{times} joints are named {name!r}" if name else "a joint has no name"
            )
    children = [joint.child for joint in joints]
    roots = links - set(children)
    if len(roots) != 1 or len(set(children)) != len(children):
        raise UrdfError(f"the links are not one tree (links without a parent: {sorted(roots)})")
    root = roots.pop()
    ordered: list[UrdfJoint] = []
    reached = {root}
    while len(ordered) < len(joints):
        ready = [
            joint for joint in joints if joint.parent in reached and joint.child not in reached
        ]
        if not ready:
            raise UrdfError("the links are not one tree (a loop of joints)")
        ordered += ready
        reached.update(joint.child for joint in ready)
    return root, ordered


def _joint(element: ElementTree.Element, links: dict[str, ElementTree.Element]) -> UrdfJoint:
    name, kind = element.get("name", ""), element.get("type", "")
    if name != name.strip() or {",", "="} & set(name):  # which separate joints in --damage
        raise UrdfError(f"joint {name!r}: a name has no ',' or '=', and no blank at its ends")
    if element.find("mimic") is not None:
        raise UrdfError(f"joint {name!r} mimics another one, but each joint has its own motor")
    if kind not in ("fixed", "revolute"):
        raise UrdfError(f"joint {name!r} is {kind!r}, only fixed and revolute joints are known")
    ends = []
    for end in ("parent", "child"):
        link = element.find(end)
        ends.append("" if link is None else link.get("link", ""))
        if ends[-1] not in links:
            raise UrdfError(
                f"joint {name!r} has no {end} link {ends[-1]!r}; the links are {', '.join(links)}"
            )
    limits: dict[str, float] = {}
    if kind == "revolute":
        limit = element.find("limit")
        for key in ("lower", "upper", "effort", "velocity"):
            if limit is None or limit.get(key) is None:
                raise UrdfError(f"joint {name!r} needs a limit with {key}")
            limits[key] = _floats(limit, key, 1)[0]
        if not (
            limits["lower"] < limits["upper"] and limits["effort"] > 0 and limits["velocity"] > 0
        ):
            raise UrdfError(f"joint {name!r} needs lower < upper and effort and velocity above 0")
    for key in ("damping", "friction"):
        _floats(element.find("dynamics"), key, 1, "0")
    origin = element.find("origin")
    axis = np.array(_floats(element.find("axis"), "xyz", 3, "1 0 0"))
    if not np.linalg.norm(axis) > 0:
        raise UrdfError(f"joint {name!r} needs an axis that is not 0")
    return UrdfJoint(
        name,
        kind,
        parent=ends[0],
        child=ends[1],
        origin=_transform(origin),
        rpy=_floats(origin, "rpy", 3, "0 0 0"),
        limits=limits,
        axis=tuple((axis / np.linalg.norm(axis)).tolist()),
    )


def _box(link: str, element: ElementTree.Element, palette: dict[str, tuple[float, ...]]) -> Box:
    shapes = [shape for geometry in element.findall("geometry") for shape in geometry]
    if [shape.tag for shape in shapes] != ["box"]:  # of two, Gazebo and rviz might take the other
        raise UrdfError(f"link {link!r} has a {element.tag} that is not a box")
    (box,) = shapes
    size = np.array(_floats(box, "size", 3))
    if not (size > 0).all():
        raise UrdfError(f"link {link!r} has a {element.tag} box of a size that is not above 0")
    material = element.find("material")
    colour = palette.get(
        "" if material is None else material.get("name", ""), (0.5, 0.5, 0.5, 1.0)
    )
    return Box(link, element.get("name", ""), size, _transform(element.find("origin")), colour)


def _transform(origin: ElementTree.Element | None) -> Transform:
    transform = np.eye(4)
    transform[:3, :3] = from_rpy(*_floats(origin, "rpy", 3, "0 0 0"))
    transform[:3, 3] = _floats(origin, "xyz", 3, "0 0 0")
    return transform


def _floats(
    element: ElementTree.Element | None, key: str, count: int, default: str = ""
) -> tuple[float, ...]:
    text = default if element is None else element.get(key, default)
    try:
        values = tuple(float(part) for part in text.split())
    except ValueError:
        values = ()
    if len(values) != count or not np.isfinite(values).all():
        tag = "element" if element is None else element.tag
        numbers = f"{count} numbers" if count > 1 else "a number"
        raise UrdfError(f"<{tag}> needs {numbers} in {key}, not {text!r}")
    return values
