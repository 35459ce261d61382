# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that others started."""

from bea_ros.system.processes import how_it_ended


def test_the_end_of_a_process_in_words() -> None:
    assert how_it_ended(-9) == "killed by SIGKILL"
    assert how_it_ended(2) == "exit code 2"
