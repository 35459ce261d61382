#!/usr/bin/env python3
# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Make .venv: ROS 2 from PyPI wheels, bea_ros (editable), and bea_ros_interfaces compiled into it.

For machines without ROS 2. Needs CPython 3.11 or newer on x86_64, a C++ compiler and CMake; no
root. Does nothing, in no time, when the environment is up to date.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "bea_ros.stamp"
INTERFACES = ROOT / "bea_ros_interfaces"


def fail(message: str) -> None:
    sys.exit(f"make venv: {message}")


def check_machine() -> None:
    """End with one line that names what this machine lacks."""
    if sys.version_info < (3, 11) or platform.python_implementation() != "CPython":
        fail(f"needs CPython 3.11 or newer, this is {sys.version.split()[0]}")
    if platform.machine() not in ("x86_64", "AMD64"):
        fail(
            f"PyPI has ROS 2 for x86_64 only, this is {platform.machine()}: "
            "install ROS 2 from apt and build with colcon (README, 'On a machine with ROS 2')"
        )
    compiler = os.environ.get("CXX", "").split() or ["c++"]
    if not any(shutil.which(name) for name in (compiler[0], "c++", "g++", "clang++")):
        fail("no C++ compiler found: install one, e.g. 'sudo apt install g++'")
    if not shutil.which("cmake"):
        fail("no CMake found: install it, e.g. 'sudo apt install cmake'")
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        fail("no Python.h found: install Python's headers, e.g. 'sudo apt install python3-dev'")


def fingerprint() -> str:
    """Changes whenever the environment has to be made again."""
    inputs = [ROOT / "setup.py", ROOT / "setup.cfg", Path(__file__)]
    inputs += sorted(path for path in INTERFACES.rglob("*") if path.is_file())
    digest = hashlib.sha256(f"{sys.version} {sys.prefix} {ROOT}".encode())
    for path in inputs:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def run(step: str, command: Sequence[object], environment: dict[str, str] | None = None) -> None:
    print(f"make venv: {step} ...", end=" ", flush=True)
    began = time.monotonic()
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )
    if done.returncode:
        log = VENV / "failed.log" if VENV.exists() else Path("make_venv_failed.log")
        log.write_text(done.stdout)
        print("failed")
        tail = "\n".join(done.stdout.splitlines()[-15:])
        fail(f"'{step}' failed; the whole output is in {log}, its end:\n{tail}")
    print(f"{time.monotonic() - began:.0f} s")


def adopt_cmake_targets() -> None:
    """Point the wheels' CMake files at this Python's headers, not those of their build machine."""
    numpy_include = subprocess.check_output(
        [PYTHON, "-c", "import numpy; print(numpy.get_include())"], text=True
    ).strip()
    for path in (VENV / "share").rglob("*.cmake"):
        text = path.read_text()
        if "/opt/python/" in text:
            text = re.sub(r"/opt/python/[^;\"]*/numpy/[^;\"]*include", numpy_include, text)
            text = re.sub(
                r"/opt/python/[^;\"/]*/include/[^;\"]*", sysconfig.get_path("include"), text
            )
            path.write_text(text)


def build_interfaces() -> None:
    """Compile bea_ros_interfaces into the venv's own prefix, where it imports like any package."""
    build = VENV / "build" / "bea_ros_interfaces"
    environment = {
        **os.environ,
        "AMENT_PREFIX_PATH": str(VENV),
        "PATH": f"{VENV / 'bin'}:{os.environ['PATH']}",
    }
    configure: list[object] = [
        "cmake",
        "-S", INTERFACES,
        "-B", build,
        f"-DCMAKE_INSTALL_PREFIX={VENV}",
        f"-DCMAKE_PREFIX_PATH={VENV}",
        f"-DPython3_EXECUTABLE={PYTHON}",
        "-DBUILD_SHARED_LIBS=ON",
        "-DBUILD_TESTING=OFF",
    ]  # fmt: skip
    jobs = str(os.cpu_count() or 1)
    run("generating the interfaces", configure, environment)
    run("compiling the interfaces", ["cmake", "--build", build, "-j", jobs], environment)
    run("installing the interfaces", ["cmake", "--install", build], environment)


def main() -> None:
    wanted = fingerprint()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return
    check_machine()
    if not PYTHON.exists():
        run("creating .venv", [sys.executable, "-m", "venv", VENV])
    pip: list[object] = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run("updating pip", [*pip, "--upgrade", "pip", "setuptools", "wheel"])
    run("installing packages", [*pip, "--editable", f"{ROOT}[wheels,development]"])
    adopt_cmake_targets()
    build_interfaces()
    STAMP.write_text(wanted)


if __name__ == "__main__":
    main()
