# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that others started."""

import os
import subprocess
import sys

import pytest

from bea_ros.system.processes import how_it_ended

IN_REAL_TIME = """
import os, subprocess, sys
from bea_ros.system.processes import go_first
go_first()
said = "import os; print(os.sched_getscheduler(0), os.nice(0))"
subprocess.run([sys.executable, "-c", said])
"""


def test_the_end_of_a_process_in_words() -> None:
    assert how_it_ended(-9) == "killed by SIGKILL"
    assert how_it_ended(-35) == "killed by signal 35"  # of real time, without a name
    assert how_it_ended(2) == "exit code 2"


def test_who_stops_a_robot_goes_first_with_all_that_it_starts() -> None:
    done = subprocess.run([sys.executable, "-c", IN_REAL_TIME], capture_output=True, text=True)
    policy, nice = (int(word) for word in done.stdout.split())
    if (policy, nice) == (os.sched_getscheduler(0), os.nice(0)):
        pytest.skip("this user may not raise a priority: ulimit -r, ulimit -e")
    assert policy == os.SCHED_FIFO or nice == -10
