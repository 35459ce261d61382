# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The systemd unit is one that systemd accepts, and starts what there is."""

import configparser
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from bea_ros.bringup.arguments import LEARN_ARGUMENTS, ROBOT_ARGUMENTS

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "config" / "systemd" / "bea-learn.service"


def test_unit_starts_a_launch_file_with_arguments_it_has():
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str
    parser.read_string(UNIT.read_text().replace("\\\n", " "))
    service = parser["Service"]
    command = shlex.split(service["ExecStart"])[2]
    words = command[command.index("ros2 launch") :].split()
    assert words[2] == "bea_ros"
    assert (ROOT / "launch" / words[3]).exists()
    assert "task:=$$TASK" in words
    known = {argument.name: argument for argument in (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS)}
    *words, further = words
    assert further == "$$ARGUMENTS"
    for word in words[4:]:
        name, value = word.split(":=")
        choices = known[name].choices
        assert "$" in value or not choices or value in choices
    used = set(re.findall(r"\$\$\{?([A-Z_]+)", command)) - {"HOME", "WORKSPACE"}
    given = parser.get("Service", "Environment")
    assert used <= {word.split("=")[0] for word in given.split()}
    assert service["KillSignal"] == "SIGINT"  # as Ctrl-C: in order, the robot at rest
    # `mixed` would kill what relaxes the servos as soon as ros2 launch is gone, however it ended.
    assert service["KillMode"] == "control-group"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_accepts_the_unit():
    said = subprocess.run(
        ["systemd-analyze", "verify", str(UNIT)], capture_output=True, text=True, timeout=60
    )
    assert str(UNIT) not in said.stderr, said.stderr
    assert "bea-learn.service" not in said.stderr, said.stderr
