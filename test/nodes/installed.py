# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A place where ament finds our nodes as if they were installed, from a checkout."""

from __future__ import annotations

import sys
from pathlib import Path

from bea_ros.nodes.executables import MODULES

STAND_IN = """import signal, sys, time
signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
while True:
    time.sleep(0.05)
"""


def prefix_in(folder: Path) -> Path:
    """Where ament finds our nodes and stand-ins for those of other packages."""
    programs = {("bea_ros", name): _module(module) for name, module in MODULES.items()}
    programs |= {(name, name): STAND_IN for name in ("rviz2", "robot_state_publisher")}
    for (package, name), program in programs.items():
        index = folder / "prefix/share/ament_index/resource_index/packages" / package
        executable = folder / "prefix/lib" / package / name
        for path in (index, executable):
            path.parent.mkdir(parents=True, exist_ok=True)
        index.touch()
        (folder / "prefix/share" / package).mkdir(exist_ok=True)
        executable.write_text(f"#!{sys.executable}\n{program}")
        executable.chmod(0o755)
    return folder / "prefix"


def _module(name: str) -> str:
    return f"import runpy\nrunpy.run_module({name!r}, run_name='__main__', alter_sys=True)\n"
