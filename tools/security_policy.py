# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The SROS 2 policy of the nodes, from what each of them really has: an enclave for each node.

python tools/security_policy.py > config/sros2/policy.xml
"""

from __future__ import annotations

import os
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import rclpy
import yaml
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from bea_ros.bags.topics import POSE
from bea_ros.bringup.arguments import LEARN_ARGUMENTS, ROBOT_ARGUMENTS
from bea_ros.bringup.graphs import learn_graph, validate_graph
from bea_ros.localization.arena import load_arena
from bea_ros.nodes.clients.operator import OperatorClient
from bea_ros.nodes.executables import MODULES
from bea_ros.nodes.shared.qos import RESULTS
from bea_ros.nodes.shared.robot.client import RobotClient
from bea_ros.robots import load_robot
from bea_ros.robots.reach import Reach
from bea_ros.runs.folder.best import BEST
from bea_ros.runs.folder.head import FORMAT, REQUEST
from bea_ros.system.yaml_files import sealed

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!-- Copyright 2026 the bea_ros authors
     SPDX-License-Identifier: Apache-2.0

     What each node may say and hear; see docs/security.md.
     Made by: python tools/security_policy.py -->
"""

Kind = tuple[str, str]  # element of a policy and its attribute, as ("topic", "publish")
Names = dict[Kind, set[str]]

# What a node has depends on these; the policy allows all of it.
CHOICES: list[dict[str, Any]] = [
    {"robot_backend": "simulator", "rviz": True, "record_images": True, "page": "local"},
    {
        "robot_backend": "hardware",
        "image_transport": "compressed",
        "record_images": True,
        "page": "lan",
    },
    {"robot_backend": "ros2_control"},
    {"robot_backend": "gazebo", "headless": True},
]
WITHOUT_PINS = {"servo_driver": {"pins": "mock"}}


def client_of(node: Any) -> RobotClient:
    """What a learner or a validator has to do with its robot."""
    return RobotClient(node, SingleThreadedExecutor(), Reach(node.robot), load_arena(node.robot))


# What nodes make when they work, and what one makes only where tf2_msgs is installed.
AT_WORK: dict[str, Callable[[Any], object]] = {
    "learner": client_of,
    "validator": client_of,
    "recorder": lambda recorder: recorder.listen(POSE, RESULTS),
    "page": lambda page: page.look(),
}
UNSEEN: dict[str, Names] = {"camera_localization": {("topic", "publish"): {"/tf", "/tf_static"}}}


def policy() -> str:
    """The policy for learning, recording and validating by simulator, Gazebo or servos, and for
    `bea operator`."""
    allowed: defaultdict[str, list[Names]] = defaultdict(list)
    for choice in CHOICES:
        for name, node in _nodes(choice).items():
            AT_WORK.get(name, lambda node: None)(node)
            allowed[name].append(names_of(node))
            node.destroy_node()
        rclpy.try_shutdown()
    for name, unseen in UNSEEN.items():
        allowed[name].append(unseen)
    return policy_of(allowed)


def names_of(node: Node) -> Names:
    """What a node without a namespace says, hears, serves and asks for."""
    return {
        ("topic", "subscribe"): {s.topic_name for s in node.subscriptions},
        ("topic", "publish"): {p.topic_name for p in node.publishers} | {"/rosout"},
        ("service", "reply"): {s.service_name for s in node.services},
        ("service", "request"): {c.service_name for c in node.clients},
    }


def policy_of(allowed: Mapping[str, Sequence[Names]]) -> str:
    """The policy that allows nodes, each in its enclave /bea_ros/NAME, all these names."""
    policy = ElementTree.Element("policy", version="0.2.0")
    enclaves = ElementTree.SubElement(policy, "enclaves")
    for node in sorted(allowed):
        enclave = ElementTree.SubElement(enclaves, "enclave", path=f"/bea_ros/{node}")
        profiles = ElementTree.SubElement(enclave, "profiles")
        profile = ElementTree.SubElement(profiles, "profile", node=node, ns="/")
        for kind, what in allowed[node][0]:
            found = set().union(*(names.get((kind, what), set()) for names in allowed[node]))
            if found:
                group = ElementTree.SubElement(profile, f"{kind}s", {what: "ALLOW"})
                for name in sorted(found):
                    ElementTree.SubElement(group, kind).text = name
    ElementTree.indent(policy)
    return HEAD + ElementTree.tostring(policy, encoding="unicode") + "\n"


def _nodes(choice: Mapping[str, Any]) -> dict[str, Node]:
    """bea_ros's nodes of a run with these arguments, the validator and the operator, by name."""
    arguments: dict[str, Any] = {a.name: a.default for a in (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS)}
    with tempfile.TemporaryDirectory() as folder:
        # With few evaluations, BEA never needs what makes clusters, which loads for seconds.
        arguments |= {**choice, "output": f"{folder}/run", "evaluations": 10}
        again = {**arguments, "runs": [_run(Path(folder))], "repetitions": 1, "duration": 0.0}
        graph = [*learn_graph(arguments), validate_graph(again)[-1]]
        specs = [spec for spec in graph if spec.package == "bea_ros"]
        own = {s.executable: s.parameters | WITHOUT_PINS.get(s.executable, {}) for s in specs}
        values = {f"/{name}": {"ros__parameters": each} for name, each in own.items()}
        parameters = Path(folder) / "parameters.yaml"
        parameters.write_text(yaml.safe_dump(values), encoding="utf-8")
        words = ["--ros-args", "--params-file", str(parameters)]
        words += [w for old, new in specs[0].remappings for w in ("-r", f"{old}:={new}")]
        rclpy.init(args=words)
        with _without_gazebo(Path(folder)):
            nodes = {spec.executable: _node(spec.executable) for spec in specs}
        return {**nodes, "operator": OperatorClient()}


def _run(folder: Path) -> str:
    """The folder of a run to be validated."""
    robot = load_robot("spider9")
    request = {"robot": robot.name, "generation": "small", "masses": "nominal"}
    request |= {"algorithm": "bea", "profile": "default", "task": "gait"}
    names = robot.parameter_names
    best = {"evaluation": 1, "robot": robot.name, "names": names, "values": [0.0] * len(names)}
    (folder / REQUEST).write_bytes(sealed({"format": FORMAT, "request": request}))
    (folder / BEST).write_bytes(sealed(best))
    return str(folder)


@contextmanager
def _without_gazebo(folder: Path) -> Iterator[None]:
    """In place of Gazebo, something that does nothing."""
    (folder / "gz").write_text("#!/bin/sh\nexec sleep 60\n")
    (folder / "gz").chmod(0o755)
    before = os.environ.get("PATH", os.defpath)
    os.environ["PATH"] = f"{folder}{os.pathsep}{before}"
    yield
    os.environ["PATH"] = before


def _node(executable: str) -> Any:
    """The node that a module of bea_ros.nodes is about."""
    module = import_module(MODULES[executable])
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type)]
    (own,) = [k for k in kinds if issubclass(k, Node) and k.__module__ == module.__name__]
    return own()  # type: ignore[call-arg]


if __name__ == "__main__":
    print(policy(), end="")
