# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The clock of a real robot's computer is set while it moves, as by NTP after a cold start."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from controller_listener import Listener
from graph import in_domain, node_process, wait_for

from bea_ros.bringup.supervisor import free_domain
from bea_ros.system.nanoseconds import SECOND

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
    settings = in_domain(domain, LD_PRELOAD=str(library), SET=str(signal), AHEAD=str(ahead))
    process = node_process("cpg_controller", domain, env=settings)
    with Listener(domain) as listener:
        listener.wait_for(lambda: listener.active and listener.commands)
        yield listener, signal
    process.kill()
    process.wait()
    if lock:
        lock.close()


@pytest.mark.parametrize("ahead", [-3600 * SECOND, SECOND // 2], ids=["an hour back", "0.5 s on"])
def test_a_clock_that_is_set_stops_the_candidate_and_not_the_controller(
    signal: tuple[Listener, Path], ahead: int
) -> None:
    listener, set_it = signal
    candidate = listener.candidate(listener.followed(2.0))
    listener.commands.clear()
    set_it.touch()

    def left() -> bool:
        """Whether commands have the new time, and the candidate drives no joints."""
        now = time.time_ns() + ahead
        told = [at for _, at, _ in listener.commands if abs(at - now) < 60 * SECOND]
        return len(told) > 10 and not listener.active[-1].names

    wait_for(left, lambda: listener.keep(candidate, 0.1))
    listener.keep(candidate, 1.0)
    assert not listener.active[-1].names  # it is not begun again by itself

    def again() -> None:
        candidate.attempt += 1
        listener.keep(candidate, 0.5)

    wait_for(lambda: listener.active[-1].names, again)
