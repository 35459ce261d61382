# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot learns by its launch file: `launch_test test/launch/learning.launch_test.py`."""

from __future__ import annotations

import signal
import tempfile
import unittest
from pathlib import Path
from typing import Any

import launch_testing
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing.actions import ReadyToTest
from launch_testing.asserts import assertExitCodes

LAUNCH = Path(__file__).resolve().parents[2] / "launch" / "learn_gait.launch.py"
RUN = Path(tempfile.mkdtemp()) / "run"
GIVEN = {"output": str(RUN), "evaluations": "500", "duration": "1", "page": "off"}


def generate_test_description() -> LaunchDescription:
    source = PythonLaunchDescriptionSource(str(LAUNCH))
    learning = IncludeLaunchDescription(source, launch_arguments=GIVEN.items())
    return LaunchDescription([learning, ReadyToTest()])


class TestLearning(unittest.TestCase):
    def test_the_learner_says_how_far_it_is(self, proc_output: Any) -> None:
        proc_output.assertWaitFor(" 1/500", timeout=300, stream="stdout")


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):
    def test_stopped_in_the_middle_all_nodes_end_and_the_log_is_there(
        self, proc_info: Any
    ) -> None:
        # SIGTERM, which launch sends two seconds after SIGINT, on a busy machine
        assertExitCodes(proc_info, allowable_exit_codes=[0, -signal.SIGTERM])
        assert (RUN / "evaluations.jsonl").read_text().endswith("\n")
