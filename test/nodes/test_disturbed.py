# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run whose camera is disturbed in every way tells the optimizer nothing but the truth."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from disturber import KINDS

pytestmark = pytest.mark.graph
SCRIPT = Path(__file__).with_name("disturbed.py")


def test_every_fitness_told_is_that_of_an_undisturbed_evaluation(tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPT, "--quick", "--output", tmp_path],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    for kind in KINDS:
        assert f"fault: {kind} for" in done.stdout
    lines = [json.loads(line) for line in (tmp_path / "evaluations.jsonl").open()]
    assert len(lines) == 10
    assert sum(line["attempts"] + line["time"]["interruptions"] > 1 for line in lines) >= 3
