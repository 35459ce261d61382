# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Who asks something of a run's learner reaches that one, or nobody."""

from __future__ import annotations

import json
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from bea_ros_interfaces.msg import LearnerStatus
from graph import BEA, HANGS, in_domain, start
from guest import Guest
from played_learning import Learning
from std_srvs.srv import Trigger

from bea_ros.__main__ import main
from bea_ros.nodes.clients import operator
from bea_ros.nodes.learner.operator import ADDRESS
from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.robot.requests import STOP
from bea_ros.runs.folder.lock import NAME, RunLock

pytestmark = pytest.mark.graph
MINE, OTHER = "0123456789abcdef", "fedcba9876543210"


class Somebody(Guest):
    """A node that says and serves what a learner and a servo driver do, with a proof."""

    def __init__(self, domain: int, proof: str) -> None:
        super().__init__("learner", domain)
        self.asked: list[str] = []
        for name in ("learner/abort", STOP):
            self.node.create_service(Trigger, name, lambda *both, name=name: self.on(name, *both))
        self.publisher = self.node.create_publisher(LearnerStatus, "learner/status", LATCHED)
        status = LearnerStatus(state=LearnerStatus.STATE_LEARNING, robot=proof)
        status.header.frame_id = proof
        self.publisher.publish(status)
        self.thread = threading.Thread(target=self.executor.spin)
        self.thread.start()

    def on(
        self, name: str, request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        self.asked.append(name)
        response.success, response.message = True, "done"
        return response

    def close(self) -> None:
        self.executor.shutdown()
        self.thread.join()
        super().close()


@pytest.fixture
def domain_of(domain: int, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    return domain


@pytest.fixture
def other(domain_of: int) -> Iterator[Somebody]:
    with Somebody(domain_of, OTHER) as somebody:
        yield somebody


def run_with(folder: Path, domain: int, proof: str) -> Path:
    """The folder of a run whose learner had this domain and proof; a lock of it stays."""
    address = {"ROS_DOMAIN_ID": str(domain), "namespace": "/"}
    address |= {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    (folder / ADDRESS).write_text(json.dumps(address))
    (folder / NAME).write_text(f"process 1 on a-machine\n{proof}\n")
    return folder


def ask(request: str, run: Path) -> int:
    """The exit code of `bea operator`, in this process."""
    return main(["operator", request, str(run)])


def test_of_a_run_that_is_over_nobody_is_asked_but_a_stop_reaches_whoever_hears(
    tmp_path: Path, domain_of: int, other: Somebody, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_with(tmp_path, domain_of, OTHER)
    for request in ("abort", "status"):
        assert ask(request, run) == 2
        assert "no learner works there" in capsys.readouterr().err
    assert not other.asked
    assert ask("stop", run) == 0
    assert other.asked == [STOP]


def test_an_address_that_leads_to_another_runs_learner_asks_nobody(
    tmp_path: Path, domain_of: int, other: Somebody, capsys: pytest.CaptureFixture[str]
) -> None:
    """As one does that was left before a learner was killed, until that learner is there again."""
    lock = RunLock(tmp_path)
    run = run_with(tmp_path, domain_of, MINE)
    for request in ("abort", "status"):
        assert ask(request, run) == 1
        said = capsys.readouterr().err
        assert "is that of another run's learner: the request was not sent" in said
    assert not other.asked
    run_with(tmp_path, domain_of, OTHER)
    assert ask("abort", run) == 0
    assert capsys.readouterr().out == "done\n"
    assert other.asked == ["learner/abort"]
    lock.close()


@pytest.mark.parametrize("request_", ["abort", "status"])
@pytest.mark.parametrize("named", [True, False])
def test_of_two_learners_none_is_asked(
    tmp_path: Path,
    domain_of: int,
    other: Somebody,
    request_: str,
    named: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(operator, "SETTLE", operator.ANNOUNCED)  # as a busy machine may need it
    lock = RunLock(tmp_path)
    run = run_with(tmp_path, domain_of, OTHER)
    with Somebody(domain_of, MINE) as second:
        assert main(["operator", request_, *([str(run)] if named else [])]) == 1
        assert "so the request was not sent" in capsys.readouterr().err
        assert not other.asked + second.asked
    lock.close()


def test_a_learner_proves_that_it_is_its_runs(
    tmp_path: Path, domain_of: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A finished run in the domain in which another one learns now, and a copy of the latter."""
    first, second, copy = (tmp_path / name for name in ("first", "second", "copy"))
    first.mkdir()
    run_with(first, domain_of, OTHER)
    with Learning(second, domain_of, "/one", patience=300.0) as learning:
        learning.hold_next()
        assert ask("abort", first) == 2
        shutil.copytree(second, copy)
        lock = RunLock(copy)  # as of who resumes or checks it
        assert ask("abort", copy) == 1
        lock.close()
        assert capsys.readouterr().out == ""
        assert ask("status", second) == 0
        assert "learning, " in capsys.readouterr().out
        assert ask("abort", second) == 0
        assert learning.process.wait(HANGS) == 0
    assert (second / ADDRESS).exists()
    assert ask("abort", second) == 2


def test_who_does_not_answer_is_called_with_the_namespace(
    domain: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    monkeypatch.setattr(operator, "PATIENCE", 0.1)
    for request, name in (("pause", "learner/pause"), ("stop", "servo_driver/emergency_stop")):
        assert operator.ask(request, None, "bob") == operator.REFUSED
        said = capsys.readouterr().err
        assert f"answers at /bob/{name}: does it run" in said
    assert "bea operator pause RUN stops it" in said, "a simulated run is reached by its folder"


@pytest.mark.parametrize("asked", ["status", "stop"])
def test_who_ends_a_request_by_a_signal_gets_no_traceback(domain: int, asked: str) -> None:
    """As by timeout(1), where nobody answers."""
    with Guest("onlooker", domain) as onlooker:
        process = start([*BEA, "operator", asked], env=in_domain(domain))
        onlooker.wait_for(lambda: "operator" in onlooker.node.get_node_names())
        process.terminate()
        said, _ = process.communicate(timeout=HANGS)
    assert (process.returncode, said) == (-signal.SIGTERM, "")
