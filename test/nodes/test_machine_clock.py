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

import pytest
from bea_ros_interfaces.msg import CpgParameters
from controller_listener import Listener

from bea_ros.bringup.supervisor import free_domain
from bea_ros.nodes.stamps import SECOND

pytestmark = pytest.mark.graph
COMPILER = shutil.which("cc")
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


@pytest.fixture
def signal(tmp_path: Path) -> Iterator[tuple[Listener, Path]]:
    """Who hears a controller, and the file by which its clock is set back."""
    if not COMPILER:
        pytest.skip("no C compiler (cc) to set a clock back with")
    (tmp_path / "clock.c").write_text(SET_BACK)
    library, signal = tmp_path / "clock.so", tmp_path / "set_back"
    command = [COMPILER, "-shared", "-fPIC", "-o", library, tmp_path / "clock.c", "-ldl"]
    subprocess.run(command, check=True)
    lock, domain = free_domain()
    settings = {"ROS_DOMAIN_ID": str(domain), "LD_PRELOAD": str(library), "SET_BACK": str(signal)}
    process = subprocess.Popen(
        [sys.executable, "-m", "bea_ros.nodes.cpg_controller"], env={**os.environ, **settings}
    )
    listener = Listener(domain)
    yield listener, signal
    process.kill()
    process.wait()
    listener.close()
    if lock:
        lock.close()


def stamps(listener: Listener, candidate: CpgParameters, seconds: float) -> list[int]:
    """Those (ns) of what is commanded while a learner repeats its candidate."""
    listener.commands.clear()
    listener.keep(candidate, seconds)
    return [stamp for _, stamp, _ in listener.commands]


def test_a_clock_that_is_set_back_stops_the_candidate_and_not_the_controller(
    signal: tuple[Listener, Path],
) -> None:
    listener, set_back = signal
    candidate = listener.candidate(1)
    deadline = time.monotonic() + 60
    while not (listener.active and listener.active[-1].names):
        assert time.monotonic() < deadline
        listener.keep(candidate, 0.2)
    assert len(stamps(listener, candidate, 2.0)) > 10
    set_back.touch()
    found = stamps(listener, candidate, 3.0)
    old = time.time_ns() - BACK * SECOND
    assert len([stamp for stamp in found if abs(stamp - old) < 60 * SECOND]) > 10
    assert not listener.active[-1].names  # it is left, and not begun again by itself
    candidate.attempt = 2
    listener.keep(candidate, 1.0)
    assert listener.active[-1].names
