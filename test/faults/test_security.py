# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is read is data, and who should not hear a robot does not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from bea_ros_interfaces.msg import CpgParameters
from graph import HANGS, end, in_domain, node_process, wait_for
from guest import Guest
from rclpy._rclpy_pybind11 import NodeNameNonExistentError
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from bea_ros.bringup.node_spec import NodeSpec
from bea_ros.bringup.supervisor import _environment, command_of, free_domain
from bea_ros.nodes.shared.qos import CONTROL, LATCHED

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(
    r"\b(pickle|marshal|shelve|dill|cloudpickle)\b|\bjoblib\.load|\b(?<![.\w])(eval|exec)\(|"
    r"yaml\.(load|unsafe_load|full_load)\(|allow_pickle=True|os\.system\(|shell=True"
)
# The one loader that is a subclass of yaml.SafeLoader.
ALLOWED = {"bea_ros/system/yaml_files.py": "yaml.load(content"}


def test_nothing_that_is_read_can_be_code() -> None:
    found = []
    for path in sorted((ROOT / "bea_ros").rglob("*.py")):
        name = str(path.relative_to(ROOT))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if CODE.search(line.split("#")[0]) and ALLOWED.get(name, "-") not in line:
                found.append(f"{name}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


@pytest.fixture
def unchosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has said who is to hear whom."""
    for name in ("ROS_DOMAIN_ID", "ROS_AUTOMATIC_DISCOVERY_RANGE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("unchosen")
def test_a_simulated_run_keeps_to_this_machine_and_to_its_own_domain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, lock_one = _environment(own_domain=True)
    other, lock_other = _environment(own_domain=True)
    assert one["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert one["ROS_DOMAIN_ID"] != other["ROS_DOMAIN_ID"]
    for lock in (lock_one, lock_other):
        assert lock
        lock.close()
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    assert _environment(own_domain=True)[0]["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SUBNET"


@pytest.mark.usefixtures("unchosen")
def test_a_real_robots_run_keeps_to_this_machine_in_the_operators_domain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whom its camera driver and the operator's terminal share."""
    environment, lock = _environment(own_domain=False)
    assert lock is None
    assert environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert "ROS_DOMAIN_ID" not in environment
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    assert _environment(own_domain=False)[0]["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "SUBNET"


def test_with_sros2_each_node_has_its_enclave_and_the_domain_is_the_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    monkeypatch.delenv("ROS_SECURITY_ENABLE", raising=False)
    assert "--enclave" not in command_of(NodeSpec("learner"))
    monkeypatch.setenv("ROS_SECURITY_ENABLE", "true")
    assert command_of(NodeSpec("learner"))[-2:] == ["--enclave", "/bea_ros/learner"]
    environment, lock = _environment(own_domain=True)
    assert lock is None
    assert "ROS_DOMAIN_ID" not in environment
    assert environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"


@pytest.mark.graph
def test_robots_of_two_namespaces_or_domains_do_not_hear_each_other() -> None:
    """A candidate for /alice moves the controller of /alice in this domain, and no other."""
    (lock, here), (other_lock, there) = free_domain(range(70, 102)), free_domain(range(70, 102))
    robots = [("/alice", here), ("/bob", here), ("/alice", there)]
    processes = [
        node_process("cpg_controller", domain, "-r", f"__ns:={namespace}")
        for namespace, domain in robots
    ]
    learner = Guest("learner", here, "/alice")
    listeners = [Guest("listener", domain, namespace) for namespace, domain in robots]
    heard: list[list[bool]] = [[] for _ in robots]  # whether each command is not neutral
    try:
        for listener, moves in zip(listeners, heard, strict=True):
            listener.node.create_subscription(
                JointTrajectory,
                "joint_trajectory",
                lambda message, moves=moves: moves.append(any(message.points[0].positions)),
                100,
            )
        publisher = learner.node.create_publisher(CpgParameters, "cpg_parameters", LATCHED)

        def turn() -> None:
            assert all(process.poll() is None for process in processes)
            # On a busy machine a heartbeat may be late; what was left is not begun again.
            publisher.publish(candidate(attempt=round(time.monotonic())))
            for listener in listeners:
                listener.spin()

        wait_for(lambda: any(heard[0]) and all(len(moves) > 10 for moves in heard), turn)
        assert [any(moves) for moves in heard] == [True, False, False]
    finally:
        end(*processes)
        for guest in (learner, *listeners):
            guest.close()
        for held in (lock, other_lock):
            if held:
                held.close()


@pytest.mark.slow
@pytest.mark.graph
@pytest.mark.skipif(not shutil.which("ros2"), reason="ros2 security is not installed")
def test_a_secured_run_does_not_hear_a_stranger(tmp_path: Path) -> None:
    lock, domain = free_domain(range(70, 102))
    keys = {
        "ROS_DOMAIN_ID": str(domain),
        "ROS_SECURITY_ENABLE": "true",
        "ROS_SECURITY_STRATEGY": "Enforce",
        "ROS_SECURITY_KEYSTORE": str(tmp_path / "keystore"),
    }
    environment = {**os.environ, **keys}
    policy = str(ROOT / "config" / "sros2" / "policy.xml")
    make = ["ros2", "security", "generate_artifacts", "-k", str(tmp_path / "keystore"), "-p"]
    subprocess.run([*make, policy], env=environment, check=True, timeout=HANGS)
    few = ["--algorithm", "ea", "--evaluations", "10", "--duration", "2"]
    learn = [sys.executable, "-m", "bea_ros", "learn", *few]
    run = subprocess.Popen([*learn, "--output", str(tmp_path / "run")], env=environment)
    guest = Guest("stranger", domain)
    stranger = guest.node
    try:
        publisher = stranger.create_publisher(JointTrajectory, "joint_trajectory", CONTROL)
        while run.poll() is None:
            publisher.publish(JointTrajectory())
            assert publisher.get_subscription_count() == 0
            assert stranger.get_node_names() == ["stranger"]
            time.sleep(0.02)
        assert run.returncode == 0
    finally:
        run.terminate()
        run.wait(HANGS)
        guest.close()
        if lock:
            lock.close()


@pytest.mark.graph
@pytest.mark.slow
def test_the_policy_allows_all_that_running_graphs_say_hear_and_ask(
    tmp_path: Path, domain: int
) -> None:
    """A recorded learning run and a validation of it, each node as the others see it."""
    guest = Guest("onlooker", domain)
    onlooker = guest.node
    allowed = policy()
    run = str(tmp_path / "run")
    learn = ["learn", "--output", run, "--record-images", "--evaluations", "14"]
    validate = ["validate", run, "--output", str(tmp_path / "validation"), "--repetitions", "4"]
    common = {"cpg_controller", "camera_localization", "simulator"}
    for words, nodes in (
        (learn, {*common, "learner", "recorder"}),
        (validate, {*common, "validator"}),
    ):
        seen: dict[str, dict[Kind, set[str]]] = {name: {} for name in nodes}
        command = [sys.executable, "-m", "bea_ros", *words, "--duration", "2"]
        process = subprocess.Popen(command, env=in_domain(domain))
        while process.poll() is None:
            for name in nodes & set(onlooker.get_node_names()):
                for kind, names in names_in_graph(onlooker, name).items():
                    seen[name].setdefault(kind, set()).update(names)
            time.sleep(0.1)
        assert process.returncode == 0
        for name, kinds in seen.items():
            assert f"/{name}/get_parameters" in kinds["service", "reply"]
            for kind, names in kinds.items():
                assert names <= allowed[name].get(kind, set()), (name, kind)
    assert "/cpg_parameters" in seen["validator"]["topic", "publish"]
    assert "/evaluate_fitness" in seen["validator"]["service", "request"]
    guest.close()


Kind = tuple[str, str]


def policy() -> dict[str, dict[Kind, set[str]]]:
    """What is allowed to each node."""
    root = ElementTree.parse(ROOT / "config" / "sros2" / "policy.xml").getroot()
    return {
        str(profile.get("node")): {
            (group.tag.removesuffix("s"), next(iter(group.keys()))): {n.text or "" for n in group}
            for group in profile
        }
        for profile in root.iter("profile")
    }


def names_in_graph(onlooker: Node, name: str) -> dict[Kind, set[str]]:
    """What a node says, hears, serves and asks for, in the graph."""
    by_kind = {
        ("topic", "publish"): onlooker.get_publisher_names_and_types_by_node,
        ("topic", "subscribe"): onlooker.get_subscriber_names_and_types_by_node,
        ("service", "reply"): onlooker.get_service_names_and_types_by_node,
        ("service", "request"): onlooker.get_client_names_and_types_by_node,
    }
    try:
        return {kind: {n for n, _ in get(name, "/")} for kind, get in by_kind.items()}
    except NodeNameNonExistentError:  # it has just ended
        return {}


def candidate(attempt: int = 1) -> CpgParameters:
    from bea_ros.robots import load_robot

    names = load_robot("spider9").parameter_names
    return CpgParameters(
        evaluation=1, attempt=attempt, robot="spider9", names=names, values=[0.7] * len(names)
    )
