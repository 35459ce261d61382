# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the nodes need ROS 2 and the compiled interfaces."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from learn_arguments import arguments

from bea_ros.bringup.graphs import learn_graph
from bea_ros.nodes.executables import MODULES

if TYPE_CHECKING:
    from operator_desk import Desk

collect_ignore_glob = []
if not (find_spec("rclpy") and find_spec("bea_ros_interfaces")):
    print("skipped: test/nodes (rclpy or bea_ros_interfaces is not installed)")
    collect_ignore_glob = ["*"]


@pytest.fixture(scope="session")
def undisturbed_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a graph's run that nothing disturbed, and what it said; one for all workers.

    Nobody changes it.
    """
    from graph import UNDISTURBED, learned

    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent
    said = place / "undisturbed.txt"
    with (place / "undisturbed.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.exists():
            said.write_text(learned(place / "undisturbed", UNDISTURBED))
    return place / "undisturbed", said.read_text()


@pytest.fixture
def desk(tmp_path: Path, domain: int) -> Iterator[Desk]:
    """Who arms, commands and stops a servo driver, in the test's domain."""
    pytest.importorskip("gpiozero", reason="gpiozero is not installed")
    from operator_desk import Desk

    with Desk(tmp_path, domain) as made:
        yield made


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Every node of a recorded learning run with rviz, in namespace /one, by name."""
    import rclpy
    from rclpy.node import Node

    folder = tmp_path_factory.mktemp("run")
    given = arguments(output=str(folder / "run"), rviz=True, page="local")
    # With few evaluations, BEA never needs what makes clusters, which loads for seconds.
    given |= {"record": True, "record_images": True, "evaluations": 10}
    specs = [spec for spec in learn_graph(given) if spec.package == "bea_ros"]
    values = {f"/one/{s.executable}": {"ros__parameters": s.parameters} for s in specs}
    (folder / "parameters.yaml").write_text(yaml.safe_dump(values))
    words = ["--ros-args", "--params-file", str(folder / "parameters.yaml"), "-r", "__ns:=/one"]
    words += [w for old, new in specs[0].remappings for w in ("-r", f"{old}:={new}")]
    rclpy.init(args=words)
    made = {}
    for spec in specs:
        module = import_module(MODULES[spec.executable])
        classes = [v for v in vars(module).values() if isinstance(v, type) and issubclass(v, Node)]
        (own,) = [kind for kind in classes if kind.__module__ == module.__name__]
        made[spec.executable] = own()
    yield made
    for node in made.values():
        node.destroy_node()
    rclpy.shutdown()
