# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Who asks something of a run's learner reaches that one, or nobody."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from bea_ros_interfaces.msg import LearnerStatus
from graph import HANGS, bea, evaluations_in, kill_all, learn_command, start, wait_for
from guest import Guest
from std_srvs.srv import Trigger

from bea_ros.nodes.clients import operator
from bea_ros.nodes.learner.operator import ADDRESS
from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.nodes.shared.robot.requests import STOP
from bea_ros.runs.folder.lock import NAME, RunLock

pytestmark = pytest.mark.graph
MINE, OTHER = "0123456789abcdef", "fedcba9876543210"
# `bea`, but it looks for a second learner as long as a busy machine may need to announce it.
PATIENT = """
import sys
from bea_ros.nodes.clients import operator
operator.SETTLE = operator.ANNOUNCED
from bea_ros.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


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


def test_of_a_run_that_is_over_nobody_is_asked_but_a_stop_reaches_whoever_hears(
    tmp_path: Path, domain_of: int, other: Somebody
) -> None:
    run = run_with(tmp_path, domain_of, OTHER)
    for request in ("abort", "status"):
        said = bea("operator", request, run)
        assert said.returncode == 2, said.stdout
        assert "no learner works there" in said.stderr
    assert not other.asked
    assert bea("operator", "stop", run).returncode == 0
    assert other.asked == [STOP]


def test_an_address_that_leads_to_another_runs_learner_asks_nobody(
    tmp_path: Path, domain_of: int, other: Somebody
) -> None:
    """As one does that was left before a learner was killed, until that learner is there again."""
    lock = RunLock(tmp_path)
    run = run_with(tmp_path, domain_of, MINE)
    for request in ("abort", "status"):
        said = bea("operator", request, run)
        assert said.returncode == 1
        assert "is that of another run's learner: the request was not sent" in said.stderr
    assert not other.asked
    run_with(tmp_path, domain_of, OTHER)
    assert bea("operator", "abort", run).stdout == "done\n"
    assert other.asked == ["learner/abort"]
    lock.close()


@pytest.mark.parametrize("request_", ["abort", "status"])
@pytest.mark.parametrize("named", [True, False])
def test_of_two_learners_none_is_asked(
    tmp_path: Path, domain_of: int, other: Somebody, request_: str, named: bool
) -> None:
    lock = RunLock(tmp_path)
    run = run_with(tmp_path, domain_of, OTHER)
    with Somebody(domain_of, MINE) as second:
        words = ["operator", request_, *([str(run)] if named else [])]
        command = [sys.executable, "-c", PATIENT, *words]
        said = subprocess.run(command, capture_output=True, text=True, timeout=HANGS)
        assert said.returncode == 1, said.stdout
        assert "so the request was not sent" in said.stderr
        assert not other.asked + second.asked
    lock.close()


def test_a_learner_proves_that_it_is_its_runs(
    undisturbed_run: tuple[Path, str], tmp_path: Path, domain_of: int
) -> None:
    """A finished run in the domain in which another one learns now, and a copy of the latter."""
    first, second, copy = (tmp_path / name for name in ("first", "second", "copy"))
    shutil.copytree(undisturbed_run[0], first)
    assert (first / ADDRESS).exists()
    run_with(first, domain_of, OTHER)
    process = start(learn_command(second, 500, 1, "--algorithm", "ea", "--real-time-factor", "1"))
    try:
        wait_for(lambda: evaluations_in(second) >= 1)
        assert bea("operator", "abort", first).returncode == 2
        shutil.copytree(second, copy)
        lock = RunLock(copy)  # as of who resumes or checks it
        said = bea("operator", "abort", copy)
        lock.close()
        assert (said.returncode, said.stdout) == (1, "")
        assert "learning, " in bea("operator", "status", second).stdout
        assert bea("operator", "abort", second).returncode == 0
        said = process.communicate(timeout=HANGS)[0]
        assert "stopped: by the operator" in said
    finally:
        kill_all(process)


def test_who_does_not_answer_is_called_with_the_namespace(
    domain: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    monkeypatch.setattr(operator, "PATIENCE", 0.1)
    for request, name in (("pause", "learner/pause"), ("stop", "servo_driver/emergency_stop")):
        assert operator.ask(request, None, "bob") == operator.REFUSED
        assert f"answers at /bob/{name}: does it run" in capsys.readouterr().err
