# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a guarded program leaves behind: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from graph import PATIENCE, alive, wait_for

from bea_ros.bringup import supervisor
from bea_ros.system import guard as guards
from bea_ros.system.guard import guarded

# It starts a server apart from itself, and says who the two are.
PROGRAM = f"""
import os, subprocess, sys, time
server = subprocess.Popen([{sys.executable!r}, "-c", "import time; time.sleep(600)"],
                          start_new_session=True)
with open("../pids.new", "w") as file:
    print(os.getpid(), server.pid, file=file)
os.rename("../pids.new", "../pids")
time.sleep(600)
"""


@pytest.fixture
def guard(tmp_path: Path) -> Iterator[subprocess.Popen]:
    (tmp_path / "folder").mkdir()
    words = guarded(tmp_path / "folder", [sys.executable, "-c", PROGRAM])
    process = subprocess.Popen(words, stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.wait()


def pids(folder: Path) -> list[int]:
    wait_for((folder / "pids").exists)
    return [int(word) for word in (folder / "pids").read_text().split()]


@pytest.mark.parametrize("stopped", [(), (0,), (0, 1)])
def test_it_ends_with_who_started_it(
    guard: subprocess.Popen, tmp_path: Path, stopped: tuple[int, ...]
) -> None:
    """Also where the program or its server hangs, which SIGTERM does not reach."""
    family = pids(tmp_path)
    for one in stopped:
        os.kill(family[one], signal.SIGSTOP)
    assert guard.stdin
    guard.stdin.close()
    wait_for(lambda: not any(alive(pid) for pid in family))
    assert guard.wait(PATIENCE) in (128 + signal.SIGTERM, 128 + signal.SIGKILL)
    assert not (tmp_path / "folder").exists()


def test_a_word_kills_it_at_once(guard: subprocess.Popen, tmp_path: Path) -> None:
    family = pids(tmp_path)
    assert guard.stdin
    guard.stdin.write(b"kill")
    guard.stdin.close()
    assert guard.wait(PATIENCE) == 128 + signal.SIGKILL
    assert not any(alive(pid) for pid in family)


def test_its_end_is_that_of_the_program(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    words = guarded(folder, [sys.executable, "-c", "import sys; sys.exit(7)"])
    assert subprocess.Popen(words, stdin=subprocess.PIPE).wait(PATIENCE) == 7
    assert not folder.exists()


def test_a_node_that_waits_for_its_guard_is_not_killed_meanwhile() -> None:
    # bea_ros.gazebo.server waits twice the guard's time; then the node itself must end.
    assert 2 * guards.GRACE < supervisor.GRACE
