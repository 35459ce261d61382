# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The clock of a real robot's computer is set while it moves, as by NTP after a cold start."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import rclpy
from bea_ros_interfaces.msg import CpgParameters
from rclpy.executors import SingleThreadedExecutor
from trajectory_msgs.msg import JointTrajectory

from bea_ros.nodes.qos import CONTROL, LATCHED
from bea_ros.nodes.stamps import SECOND, to_nanoseconds
from bea_ros.robots import load_robot
from bea_ros.supervisor import free_domain

pytestmark = pytest.mark.graph
COMPILER = shutil.which("cc")
ROBOT = load_robot("spider9")
BACK = 3600  # s
SET_BACK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
  int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, now);
  if (clock == CLOCK_REALTIME && access(getenv("SET_BACK"), F_OK) == 0) now->tv_sec -= 3600;
  return result;
}
"""


class Onlooker:
    """Hears what a controller on the machine's clock commands, and when it was stamped."""

    def __init__(self, folder: Path) -> None:
        assert COMPILER
        (folder / "clock.c").write_text(SET_BACK)
        library = folder / "clock.so"
        command = [COMPILER, "-shared", "-fPIC", "-o", library, folder / "clock.c", "-ldl"]
        subprocess.run(command, check=True)
        self.signal = folder / "set_back"
        self.lock, domain = free_domain()
        settings = {"ROS_DOMAIN_ID": str(domain), "LD_PRELOAD": str(library)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bea_ros.nodes.cpg_controller"],
            env={**os.environ, **settings, "SET_BACK": str(self.signal)},
        )
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("onlooker", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.parameters = self.node.create_publisher(CpgParameters, "cpg_parameters", LATCHED)
        self.stamps: list[int] = []  # ns, of the commands
        self.moving: list[bool] = []  # whether anything drives the joints
        self.node.create_subscription(
            JointTrajectory, "joint_trajectory", self.on_command, CONTROL
        )
        self.node.create_subscription(
            CpgParameters,
            "active_parameters",
            lambda m: self.moving.append(bool(m.names)),
            LATCHED,
        )

    def on_command(self, message: JointTrajectory) -> None:
        self.stamps.append(to_nanoseconds(message.header.stamp))

    def hear(self, seconds: float, message: CpgParameters | None = None) -> list[int]:
        """The stamps (ns) of what is commanded, a learner repeating its message meanwhile."""
        self.stamps.clear()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if message:
                self.parameters.publish(message)
            self.executor.spin_once(timeout_sec=0.05)
        return list(self.stamps)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)
        if self.lock:
            self.lock.close()


@pytest.fixture
def onlooker(tmp_path: Path) -> Iterator[Onlooker]:
    if not COMPILER:
        pytest.skip("no C compiler (cc) to set a clock back with")
    found = Onlooker(tmp_path)
    yield found
    found.close()


def test_a_clock_that_is_set_back_stops_the_candidate_and_not_the_controller(
    onlooker: Onlooker,
) -> None:
    weights = np.random.default_rng(1).uniform(-1.5, 1.5, len(ROBOT.parameter_names))
    candidate = CpgParameters(
        evaluation=1, attempt=1, robot="spider9", names=ROBOT.parameter_names,
        values=weights.tolist(),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (onlooker.moving and onlooker.moving[-1]):
        assert time.monotonic() < deadline
        onlooker.hear(0.2, candidate)
    assert len(onlooker.hear(2.0, candidate)) > 10
    onlooker.signal.touch()
    stamps = onlooker.hear(3.0, candidate)
    old = time.time_ns() - BACK * SECOND
    assert len([stamp for stamp in stamps if abs(stamp - old) < 60 * SECOND]) > 10
    assert not onlooker.moving[-1]  # it is left, and not begun again by itself
    candidate.attempt = 2
    onlooker.hear(1.0, candidate)
    assert onlooker.moving[-1]
