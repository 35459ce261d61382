# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The SROS 2 policy of the nodes, from what each of them really has: an enclave for each node.

python -m bea_ros.nodes.security_policy > config/sros2/policy.xml
"""

from __future__ import annotations

import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import rclpy
import yaml
from rclpy.node import Node

from bea_ros.bringup import LEARN_ARGUMENTS, ROBOT_ARGUMENTS, NodeSpec, learn_graph

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!-- Copyright 2026 the bea_ros authors
     SPDX-License-Identifier: Apache-2.0

     What each node may say and hear; see docs/security.md.
     Made by: python -m bea_ros.nodes.security_policy -->
"""

UNSEEN = {"camera_localization": ["/tf"]}  # where tf2_msgs is found


def policy_of(nodes: Mapping[str, Node]) -> str:
    """The policy for nodes by name, each in its enclave /bea_ros/NAME, as without a namespace."""
    policy = ElementTree.Element("policy", version="0.2.0")
    enclaves = ElementTree.SubElement(policy, "enclaves")
    for name in sorted(nodes):
        node = nodes[name]
        enclave = ElementTree.SubElement(enclaves, "enclave", path=f"/bea_ros/{name}")
        profiles = ElementTree.SubElement(enclave, "profiles")
        profile = ElementTree.SubElement(profiles, "profile", node=name, ns="/")
        names = {
            ("topic", "subscribe"): [s.topic_name for s in node.subscriptions],
            ("topic", "publish"): [p.topic_name for p in node.publishers],
            ("service", "reply"): [s.service_name for s in node.services],
            ("service", "request"): [c.service_name for c in node.clients],
        }
        names["topic", "publish"] += ["/rosout", *UNSEEN.get(name, [])]
        own = node.get_namespace().rstrip("/")
        for (kind, what), found in names.items():
            _allow(profile, kind, what, (name.removeprefix(own) for name in found))
    ElementTree.indent(policy)
    return HEAD + ElementTree.tostring(policy, encoding="unicode") + "\n"


def _allow(profile: ElementTree.Element, kind: str, what: str, names: Iterable[str]) -> None:
    found = sorted(set(names))
    if found:
        group = ElementTree.SubElement(profile, f"{kind}s", {what: "ALLOW"})
        for name in found:
            ElementTree.SubElement(group, kind).text = name


def policy() -> str:
    """The policy for every node of a recorded learning run with rviz, and for the servos."""
    arguments: dict[str, Any] = {a.name: a.default for a in (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS)}
    with tempfile.TemporaryDirectory() as folder:
        arguments.update(output=f"{folder}/run", rviz=True, record=True, record_images=True)
        specs = [spec for spec in learn_graph(arguments) if spec.package == "bea_ros"]
        specs.append(NodeSpec("servo_driver", {"pins": "mock"}))
        values = {f"/{s.executable}": {"ros__parameters": s.parameters} for s in specs}
        parameters = Path(folder) / "parameters.yaml"
        parameters.write_text(yaml.safe_dump(values), encoding="utf-8")
        words = ["--ros-args", "--params-file", str(parameters)]
        words += [w for old, new in specs[0].remappings for w in ("-r", f"{old}:={new}")]
        rclpy.init(args=words)
        try:
            return policy_of({spec.executable: _node(spec.executable) for spec in specs})
        finally:
            rclpy.try_shutdown()


def _node(executable: str) -> Any:
    """The node that a module of bea_ros.nodes is about."""
    module = import_module(f"bea_ros.nodes.{executable}")
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type)]
    (own,) = [k for k in kinds if issubclass(k, Node) and k.__module__ == module.__name__]
    return own()  # type: ignore[call-arg]


if __name__ == "__main__":
    print(policy(), end="")
