# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run whose camera is disturbed in every way tells the optimizer nothing but the truth."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from disturber import KINDS, OF_SERVOS
from graph import HANGS

pytestmark = pytest.mark.graph
SCRIPT = Path(__file__).resolve().parents[1] / "disturbed.py"


def run(folder, *words):
    """The disturbed run's words and its measurements."""
    done = subprocess.run(
        [sys.executable, SCRIPT, "--quick", "--output", folder, *words],
        capture_output=True, text=True, timeout=HANGS,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, [json.loads(line) for line in (folder / "evaluations.jsonl").open()]


def repetitions(lines):
    return sum(line["attempts"] + line["time"]["interruptions"] - 1 for line in lines)


def test_every_fitness_told_is_that_of_an_undisturbed_evaluation(tmp_path):
    # By this seed the first attempts are disturbed, in every way.
    said, lines = run(tmp_path, "--evaluations", "4", "--seed", "2", "--share", "0.6")
    for kind in KINDS:
        assert f"fault: {kind} for" in said
    assert len(lines) == 4
    assert repetitions(lines) >= 1  # how many is a matter of when a fault comes


def test_nobody_is_told_that_a_robot_walked_where_a_hand_slid_it_by_5_cm(tmp_path):
    few = ("--duration", "6", "--evaluations", "2", "--seed", "3")
    said, lines = run(tmp_path, "--kinds", "nudged", *few)
    faults = said.count("fault: nudged for")
    assert faults >= 1
    carried = re.findall(r"evaluation \d+ cannot be trusted: .*it was carried", said)
    assert len(carried) == faults, said
    assert repetitions(lines) >= faults  # others may lack images, on a loaded machine


@pytest.mark.slow
def test_so_it_is_on_servos_with_an_operator_who_does_as_the_learner_says(tmp_path):
    pytest.importorskip("gpiozero", reason="gpiozero is not installed")
    said, lines = run(tmp_path, "--servos")
    for kind in (*KINDS, OF_SERVOS):
        assert f"fault: {kind} for" in said
    assert len(lines) == 10
    assert repetitions(lines) >= 1  # how many is a matter of when a fault comes
    armed, put_back = map(int, re.search(r"armed (\d+) times, put back (\d+)", said).groups())
    assert armed >= 2  # at the start, and after the emergency stop
    assert put_back >= 1
