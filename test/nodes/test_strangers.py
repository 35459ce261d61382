# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Somebody else's node on the graph of a run: the log is that of the undisturbed run."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from graph import evaluations_in, kill_all, learn_command, learned, log_of
from rclpy.executors import SingleThreadedExecutor
from std_srvs.srv import Trigger

pytestmark = pytest.mark.graph
EVALUATIONS = 12


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The log of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("run") / "undisturbed"
    learned(folder, EVALUATIONS)
    return measured(folder)


def measured(folder: Path) -> list[str]:
    """The log, but for how often each evaluation was tried."""
    return [re.sub(r', "attempts": \d+', "", line) for line in log_of(folder)]


class Stranger:
    """A run, and a node beside it that nobody asked for."""

    def __init__(self, folder: Path, domain: int, *words: str) -> None:
        self.folder = folder
        environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
        command = learn_command(folder, EVALUATIONS, 1, *words)
        self.said = folder.with_suffix(".txt").open("w+")
        self.run = subprocess.Popen(
            command, env=environment, stdout=self.said, stderr=self.said, start_new_session=True
        )
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("stranger", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)

    def spin(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.executor.spin_once(timeout_sec=0.01)

    @property
    def done(self) -> int:
        return evaluations_in(self.folder)

    def wait_for(self, condition: Any) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert self.run.poll() is None, self.words
            assert time.monotonic() < deadline, self.words
            self.spin(0.01)

    @property
    def words(self) -> str:
        self.said.seek(0)
        return self.said.read()

    def finish(self) -> list[str]:
        """The log of the run, but for its attempts."""
        deadline = time.monotonic() + 120
        while self.run.poll() is None and time.monotonic() < deadline:
            self.spin(0.1)
        assert self.run.returncode == 0, self.words
        return measured(self.folder)

    def close(self) -> None:
        kill_all(self.run)
        self.said.close()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def stranger(domain: int, tmp_path: Path) -> Iterator[Stranger]:
    made = Stranger(tmp_path / "run", domain, "--real-time-factor", "4")
    yield made
    made.close()


def test_a_reset_in_the_middle_of_an_evaluation_is_refused(
    undisturbed: list[str], stranger: Stranger
) -> None:
    reset = stranger.node.create_client(Trigger, "reset")
    stranger.wait_for(lambda: stranger.done and reset.service_is_ready())
    answers = []
    while stranger.run.poll() is None:
        future = reset.call_async(Trigger.Request())
        until = time.monotonic() + 5
        while not future.done() and stranger.run.poll() is None and time.monotonic() < until:
            stranger.spin(0.02)
        if future.done():
            answers.append(future.result())
        stranger.spin(0.1)
    assert stranger.finish() == undisturbed
    refused = [answer.message for answer in answers if not answer.success]
    assert refused
    assert all("drives the joints" in message for message in refused)
