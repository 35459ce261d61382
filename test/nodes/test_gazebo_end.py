# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Node gazebo ends all that `gz sim` started, also what has a session of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from graph import end, wait_for

pytestmark = pytest.mark.graph

# As `gz sim` with a window: it starts a server apart from itself, and takes long to end.
GZ = f"""#!{sys.executable}
import os, signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
server = subprocess.Popen(["sleep", "600"], start_new_session=True)
with open(os.environ["SERVER"], "w") as file:
    print(server.pid, file=file)
time.sleep(600)
"""


def test_the_server_ends_with_the_node(domain: int, tmp_path: Path) -> None:
    program, server = tmp_path / "gz", tmp_path / "server"
    program.write_text(GZ)
    program.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "SERVER": str(server),
        "ROS_DOMAIN_ID": str(domain),
    }
    node = subprocess.Popen([sys.executable, "-m", "bea_ros.nodes.gazebo"], env=environment)
    wait_for(lambda: server.exists() and server.read_text().endswith("\n"))
    process = psutil.Process(int(server.read_text()))
    assert process.is_running()
    end(node)
    wait_for(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE)
