#!/usr/bin/env python3
# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Run every test, graphs too, on ROS 2 Jazzy with what Ubuntu 24.04 ships, in .venv-jazzy.

Without a Python 3.12 they are skipped, and that is said. More arguments go to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys

from make_venv import NO_JAZZY_PYTHON, ROOT, WHEELS, Environment


def main() -> int:
    made = subprocess.run([sys.executable, ROOT / "tools" / "make_venv.py", "jazzy"]).returncode
    if made == NO_JAZZY_PYTHON:
        print("skipped: make test-jazzy")
        return 0
    if made:
        return made
    environment = {k: v for k, v in os.environ.items() if k not in WHEELS}
    environment["PYTHONPATH"] = str(ROOT)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        environment.setdefault(name, "1")
    command = [str(Environment("jazzy").python), "-m", "pytest", "-n", "4", "--dist", "loadfile"]
    return subprocess.run([*command, *sys.argv[1:]], cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
