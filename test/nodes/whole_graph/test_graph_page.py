# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of topics, services and frames in docs/graph.md are those of the running graph."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped
from graph import (
    end,
    in_domain,
    kill_all,
    learn_command,
    node_process,
    start,
)
from guest import Guest
from nav_msgs.msg import Path as PathMessage
from rclpy._rclpy_pybind11 import NodeNameNonExistentError
from rclpy.qos import DurabilityPolicy
from sensor_msgs.msg import CameraInfo
from visualization_msgs.msg import MarkerArray

from bea_ros.nodes.shared.qos import LATCHED, RESULTS, images
from bea_ros.robots import load_robot, robot_names
from bea_ros.robots.footprint import FOOTPRINT

pytestmark = pytest.mark.graph
DOCS = Path(__file__).resolve().parents[3] / "docs"
GRAPH = (DOCS / "graph.md").read_text()
OF_ROS = {"/rosout", "/parameter_events", "/clock"}  # what every node has
PARAMETER_SERVICES = "rcl_interfaces/srv/"
LIGHT = ("--algorithm", "ea")  # BEA plans so many evaluations for two seconds
SLOW = ("--real-time-factor", "0.5")  # it lasts as long as it is looked at
# Where the servos, which nobody arms, are not in the simulator's way.
ASIDE = {"reset": "reset_of_servos", "armed": "armed_of_servos"}
# Gazebo's, of nodes that do not run here, and what is not on PyPI.
ELSEWHERE = {"/second/path", "/second/best_path", "/robot_trouble"}
ELSEWHERE |= {"/CONTROLLER/joint_trajectory", "/CONTROLLER/commands"}
NOT_HERE = {"/put_back", *ELSEWHERE, *(() if find_spec("tf2_msgs") else ("/tf", "/tf_static"))}


@dataclass
class Names:
    """What a node has, by its row or by the graph."""

    subscribes: set[str] = field(default_factory=set)
    publishes: set[str] = field(default_factory=set)
    serves: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)


def words(text: str) -> set[str]:
    return {f"/{word.lstrip('/')}" for word in re.findall(r"`([^`]+)`", text)}


def table(heading: str) -> list[list[str]]:
    """The cells of the table with that heading."""
    _, _, rest = GRAPH.partition(f"\n{heading}\n|---")
    rows = rest.split("\n\n")[0].split("\n")[1:]
    assert rows, heading
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def written() -> dict[str, Names]:
    found = {}
    for node, subscribes, publishes, services in table(
        "| node | subscribes | publishes | services |"
    ):
        served, _, called = services.partition("calls")
        always = subscribes.partition(";")[0]  # not what depends on the robot or a browser
        names = Names(words(always), words(publishes), words(served), words(called))
        names.publishes -= NOT_HERE
        found[node.strip("`")] = names
    return found


@pytest.fixture(scope="module")
def observer(domain: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    """A node beside a run with recorder, monitor and servos; it is spun by whoever waits."""
    output = tmp_path_factory.mktemp("readme") / "run"
    command = learn_command(output, 1000, 1, *LIGHT, *SLOW, "--record-images", "--page", "local")
    process = start(command, env=in_domain(domain))
    aside = [word for name, other in ASIDE.items() for word in ("-r", f"{name}:={other}")]
    monitor = node_process("monitor", domain, "-p", "use_sim_time:=true")
    servos = node_process("servo_driver", domain, "-p", "pins:=mock", *aside)
    with Guest("observer", domain) as guest:
        yield guest
        kill_all(process)
        end(monitor, servos)


def names_of(node: str, observer: Guest) -> Names:
    """What the graph says a node has; types are left to another test."""

    def listed(ask: Any) -> set[str]:
        return {
            name
            for name, types in ask(node, "/")
            if name not in OF_ROS and not any(t.startswith(PARAMETER_SERVICES) for t in types)
            and not name.endswith("/get_type_description")
        }  # fmt: skip

    return Names(
        listed(observer.node.get_subscriber_names_and_types_by_node),
        listed(observer.node.get_publisher_names_and_types_by_node),
        listed(observer.node.get_service_names_and_types_by_node),
        listed(observer.node.get_client_names_and_types_by_node),
    )


def settles(observer: Guest, found: Callable[[], Any], wanted: Any) -> None:
    """In the end what is found in the graph is what is wanted."""
    seen: list[Any] = []

    def settled() -> bool:
        seen[:] = [found()]
        return bool(seen[0] == wanted)

    with contextlib.suppress(AssertionError):
        observer.wait_for(settled)
    assert seen[0] == wanted


def running(observer: Guest) -> dict[str, Names]:
    try:
        names = [n for n in observer.node.get_node_names() if not n.startswith(("_", "observer"))]
        return {name: names_of(name, observer) for name in names}
    except NodeNameNonExistentError:  # it is just being discovered
        return {}


def test_the_table_of_nodes_is_the_graph(observer: Guest) -> None:
    rows = written()
    for names in rows.values():
        names.publishes.discard("/clock")  # listened to by every node: see below
    elsewhere = {"gazebo", "ros2_control_driver", "second_robot", "validator"}
    wanted = {name: rows[name] for name in rows.keys() - elsewhere}
    wanted["recorder"].subscribes.add("/image_raw")  # with --record-images
    servos = wanted["servo_driver"]
    servos.serves ^= {"/reset", f"/{ASIDE['reset']}"}
    servos.publishes ^= {"/armed", f"/{ASIDE['armed']}"}
    settles(observer, lambda: running(observer), wanted)
    observer.wait_for(
        lambda: (
            "simulator"
            in [p.node_name for p in observer.node.get_publishers_info_by_topic("/clock")]
        )
    )


def test_the_table_of_types_is_the_graph(observer: Guest) -> None:
    rows = table("| name | type | |")
    types = {name: kind.strip("`") for names, kind, _ in rows for name in words(names)}
    latched = {name for names, _, note in rows for name in words(names) if "latched" in note}
    topics = {
        name: kind for name, kind in types.items() if "/msg/" in kind and name not in NOT_HERE
    }
    services = {name: kind for name, kind in types.items() if "/srv/" in kind}

    def found() -> dict[str, str]:
        everything = [
            *observer.node.get_topic_names_and_types(),
            *observer.node.get_service_names_and_types(),
        ]
        return {name: kinds[0] for name, kinds in everything if name in types}

    settles(observer, found, topics | services)
    named = {
        n for row in written().values() for n in (*row.subscribes, *row.publishes, *row.serves)
    }
    assert named <= types.keys()

    def kept() -> set[str]:
        aside = {"/armed": f"/{ASIDE['armed']}"}
        return {
            topic
            for topic in topics
            for publisher in observer.node.get_publishers_info_by_topic(aside.get(topic, topic))
            if publisher.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
        }

    # A topic may be known by its subscriber before its publisher is.
    settles(observer, kept, latched & topics.keys())


def test_the_frames_are_those_of_the_messages(observer: Guest) -> None:
    (line,) = [line for line in GRAPH.splitlines() if line.startswith("- Frames")]
    seen: set[str] = set()

    def note(message: Any) -> None:
        for part in getattr(message, "markers", [message]):
            seen.add(part.header.frame_id)

    observer.node.create_subscription(PoseWithCovarianceStamped, "pose", note, RESULTS)
    observer.node.create_subscription(PathMessage, "learner/best_path", note, LATCHED)
    observer.node.create_subscription(MarkerArray, "markers", note, LATCHED)
    observer.node.create_subscription(CameraInfo, "camera_info", note, images(reliable=True))
    observer.wait_for(lambda: len(seen) == 3)
    roots = {
        load_robot(name).urdf.split('<link name="')[1].split('"')[0] for name in robot_names()
    }
    assert {word.lstrip("/") for word in words(line)} == seen | roots | {FOOTPRINT}
