#!/usr/bin/env python3
# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Run the tests that need no ROS with what Ubuntu 24.04 ships, which ROS 2 Jazzy is built on.

They run in an environment of their own, .venv-jazzy. Without a Python 3.12 they are skipped, and
that is said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv-jazzy"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "bea_ros.stamp"

# Versions of Ubuntu 24.04's packages. MuJoCo and rosbags come from PyPI there as well.
PACKAGES = [
    "numpy==1.26.4",
    "scipy==1.11.4",
    "pandas==2.1.4",
    "scikit-learn==1.4.1.post1",
    "joblib==1.3.2",
    "threadpoolctl==3.1.0",
    "opencv-contrib-python-headless==4.6.0.66",
    "matplotlib==3.8.0",  # Ubuntu has 3.6.3, which has no wheel for Python 3.12
    "pyparsing==3.1.1",
    "pillow==10.2.0",
    "PyYAML==6.0.1",
    "psutil==5.9.8",
    "rich==13.7.1",
    "setuptools==68.1.2",
    "pytest==7.4.4",
    "pytest-xdist==3.4.0",
    "hypothesis==6.98.15",
    "mujoco>=3.3",
    "rosbags>=0.10.9",
    "xacro>=2.0",
]
NEED_ROS = ["test/nodes", "test/launch"]


def pythons(wanted: str) -> Iterator[str]:
    """Where a Python 3.12 may be: what the user says, and pyenv's, whose shim may not be set."""
    yield wanted
    for path in sorted(Path("~/.pyenv/versions").expanduser().glob("3.12*/bin/python3.12")):
        yield str(path)


def find_python(wanted: str) -> str | None:
    """The first Python 3.12 that runs and can make an environment."""
    check = "import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, 12))"
    for python in pythons(wanted):
        if shutil.which(python):
            done = subprocess.run([python, "-c", check], capture_output=True)
            if done.returncode == 0:
                return python
    return None


def make_venv(python: str) -> None:
    """Make .venv-jazzy, or leave it if it is up to date."""
    wanted = "\n".join([python, *PACKAGES])
    if STAMP.exists() and STAMP.read_text() == wanted:
        return
    print("make test-jazzy: installing Ubuntu 24.04's versions into .venv-jazzy ...", flush=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([python, "-m", "venv", "--clear", str(VENV)], [*pip, *PACKAGES]):
        if subprocess.run(command).returncode:
            sys.exit(f"make test-jazzy: failed: {' '.join(command)}")
    STAMP.write_text(wanted)


def main() -> int:
    python = find_python(sys.argv[1] if len(sys.argv) > 1 else "python3.12")
    if python is None:
        print(
            "skipped: make test-jazzy (no Python 3.12 with venv found: "
            "'apt install python3.12-venv', or name one with JAZZY_PYTHON=...)"
        )
        return 0
    make_venv(python)
    print(f"skipped: {', '.join(NEED_ROS)} and other tests of nodes (they need ROS 2)", flush=True)
    chosen = ["-m", "not graph", *(f"--ignore={folder}" for folder in NEED_ROS)]
    chosen += ["-n", "2", "--dist", "loadgroup"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        environment.setdefault(name, "1")
    command = [str(PYTHON), "-m", "pytest", *chosen, *sys.argv[2:]]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
