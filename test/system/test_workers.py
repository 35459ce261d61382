# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Workers end with the process whose work they do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
from graph import HANGS, PATIENCE

LOADS = """
import os, time
worker = any(name.startswith("loading-") for name in os.listdir())  # the owner loads first
open(f"loading-{os.getpid()}", "w").close()
while worker and not os.path.exists("killed"):
    time.sleep(0.02)
"""
WORK = 'def work(number):\n    open(f"done-{number}", "w").close()\n'
OWNER = (
    "from loads import work\nfrom bea_ros.system.execution import for_each\n"
    'for_each(work, [1, 2], jobs=2, scheduler="")\n'
)


def test_a_worker_that_still_loads_when_its_owner_is_killed_does_nothing(tmp_path: Path) -> None:
    (tmp_path / "loads.py").write_text(LOADS + WORK)
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER], cwd=tmp_path, env={**os.environ, "PYTHONPATH": paths}
    )
    while len(list(tmp_path.glob("loading-*"))) < 3:  # the owner and two workers
        assert owner.poll() is None
        time.sleep(0.02)
    workers = psutil.Process(owner.pid).children(recursive=True)
    owner.kill()
    owner.wait()
    (tmp_path / "killed").touch()
    alive = psutil.wait_procs(workers, timeout=PATIENCE)[1]
    for worker in alive:
        worker.kill()
    assert not alive
    assert not list(tmp_path.glob("done-*"))


INTERRUPTED = """
import os, signal, threading
from pathlib import Path
from loads import work
from bea_ros.system.execution import for_each

def interrupt():
    while not Path("done-6").exists():  # nothing loads any more
        pass
    os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
threading.excepthook = lambda what: None
threading.Thread(target=interrupt).start()
try:
    for_each(work, range(40), jobs=2, scheduler="")
except KeyboardInterrupt:
    print([thread.name for thread in threading.enumerate()], flush=True)
"""


def test_no_thread_is_left_when_work_is_interrupted(tmp_path: Path) -> None:
    """One that frees semaphores would be cut off, and loky would print that they leak."""
    (tmp_path / "loads.py").write_text("import time\n" + WORK + "    time.sleep(0.2)\n")
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert done.stdout == "['MainThread']\n", done.stderr
    assert "leaked" not in done.stderr
