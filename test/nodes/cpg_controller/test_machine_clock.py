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
from bea_ros.nodes.shared.stamps import SECOND

pytestmark = pytest.mark.graph
COMPILER = shutil.which("cc")
SET = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
  int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, now);
  if (clock == CLOCK_REALTIME && access(getenv("SET"), F_OK) == 0) {
    long long set = now->tv_sec * 1000000000LL + now->tv_nsec + atoll(getenv("AHEAD"));
    now->tv_sec = set / 1000000000;
    now->tv_nsec = set % 1000000000;
  }
  return result;
}
"""


@pytest.fixture
def signal(tmp_path: Path, ahead: int) -> Iterator[tuple[Listener, Path]]:
    """Who hears a controller, and the file by which its clock is set `ahead` (ns)."""
    if not COMPILER:
        pytest.skip("no C compiler (cc) to set a clock with")
    (tmp_path / "clock.c").write_text(SET)
    library, signal = tmp_path / "clock.so", tmp_path / "set"
    command = [COMPILER, "-shared", "-fPIC", "-o", library, tmp_path / "clock.c", "-ldl"]
    subprocess.run(command, check=True)
    lock, domain = free_domain()
    settings = {"ROS_DOMAIN_ID": str(domain), "LD_PRELOAD": str(library)}
    settings |= {"SET": str(signal), "AHEAD": str(ahead)}
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


@pytest.mark.parametrize("ahead", [-3600 * SECOND, SECOND // 2], ids=["an hour back", "0.5 s on"])
def test_a_clock_that_is_set_stops_the_candidate_and_not_the_controller(
    signal: tuple[Listener, Path], ahead: int
) -> None:
    listener, set_it = signal
    candidate = listener.candidate(1)
    deadline = time.monotonic() + 60
    while not (listener.active and listener.active[-1].names):
        assert time.monotonic() < deadline
        listener.keep(candidate, 0.2)
    assert len(stamps(listener, candidate, 2.0)) > 10
    set_it.touch()
    found = stamps(listener, candidate, 3.0)
    now = time.time_ns() + ahead
    assert len([stamp for stamp in found if abs(stamp - now) < 60 * SECOND]) > 10
    assert not listener.active[-1].names  # it is left, and not begun again by itself
    candidate.attempt = 2
    listener.keep(candidate, 1.0)
    assert listener.active[-1].names
