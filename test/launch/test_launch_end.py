# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How a launch ends: the real launch and nodes, a stand-in for rviz."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from graph import HANGS, evaluations_in, in_domain, wait_for
from installed import prefix_in

pytest.importorskip("launch", reason="launch is not installed")
pytest.importorskip("launch_ros", reason="launch_ros is not installed")
pytestmark = pytest.mark.graph

LAUNCH = Path(__file__).resolve().parents[2] / "launch"
# What `ros2 launch FILE NAME:=VALUE...` does.
RUN = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

source = PythonLaunchDescriptionSource(sys.argv[1])
words = [tuple(word.split(":=")) for word in sys.argv[2:]]
service = LaunchService(noninteractive=True)
include = IncludeLaunchDescription(source, launch_arguments=words)
service.include_launch_description(LaunchDescription([include]))
sys.exit(service.run())
"""
HELPERS = {"rviz2", "robot_state_publisher", "monitor"}


class Launched:
    """A launch, and what it has started."""

    def __init__(self, folder: Path, domain: int, *words: str) -> None:
        self.log, self.run = folder / "log", folder / "run"
        given = [f"output:={self.run}", "duration:=1", "page:=off", *words]
        prefix = f"{prefix_in(folder)}:{sys.prefix}"
        environment = in_domain(domain, AMENT_PREFIX_PATH=prefix)
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN, str(LAUNCH / "learn_gait.launch.py"), *given],
            env=environment,
            stdout=self.log.open("w"),
            stderr=subprocess.STDOUT,
        )

    @property
    def nodes(self) -> dict[str, psutil.Process]:
        """What runs, by the name of its executable."""
        found = {}
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.NoSuchProcess):  # it ends at this moment
                if words := child.cmdline()[1:]:
                    found[Path(words[0]).name] = child
        return found


@pytest.fixture
def launch(tmp_path: Path, domain: int) -> Iterator[Callable[..., Launched]]:
    started: list[Launched] = []

    def start(*words: str) -> Launched:
        started.append(Launched(tmp_path, domain, *words))
        return started[-1]

    yield start
    for one in started:
        family = []
        if one.process.poll() is None:
            family = [psutil.Process(one.process.pid), *one.nodes.values()]
        for process in family:
            process.kill()
        one.process.wait()


def test_sigterm_ends_every_node(launch: Callable[..., Launched]) -> None:
    launched = launch("evaluations:=500")
    wait_for(lambda: evaluations_in(launched.run) >= 1)
    nodes = launched.nodes
    assert {"learner", "simulator", "cpg_controller", "camera_localization"} <= set(nodes)
    launched.process.send_signal(signal.SIGTERM)
    launched.process.wait(HANGS)
    assert not [name for name, node in nodes.items() if node.is_running()]
    assert "resume" in launched.log.read_text()  # the learner had its say


def test_rviz_is_left_open_when_learning_has_ended(launch: Callable[..., Launched]) -> None:
    launched = launch("evaluations:=10", "rviz:=true")
    wait_for(lambda: "close rviz, or press Ctrl-C, to end" in launched.log.read_text())
    said = launched.log.read_text()
    assert "real_time_factor:=4, for rviz to follow" in said
    wait_for(lambda: set(launched.nodes) == HELPERS)
    assert launched.process.poll() is None
    launched.nodes["rviz2"].terminate()  # the user closes it
    assert launched.process.wait(HANGS) == 0


def test_with_rviz_closed_before_the_end_of_learning_is_the_end(
    launch: Callable[..., Launched],
) -> None:
    launched = launch("evaluations:=10", "rviz:=true", "real_time_factor:=0")
    wait_for(lambda: launched.log.exists() and set(launched.nodes) >= HELPERS)
    launched.nodes["rviz2"].terminate()
    assert launched.process.wait(HANGS) == 0
    assert evaluations_in(launched.run) == 10
    assert "for rviz to follow" not in launched.log.read_text()
