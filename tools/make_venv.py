#!/usr/bin/env python3
# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Make .venv: ROS 2 from PyPI wheels, bea_ros (editable), and bea_ros_interfaces compiled into it.

    make_venv.py [kilted | jazzy | newest]

For machines without ROS 2. Needs CPython on x86_64 (3.11 or newer; Jazzy: 3.12) with its headers;
no root. Where a C++ compiler or CMake is missing, wheels of PyPI stand in. Does nothing, in no
time, when the environment is up to date.

Kilted's has the exact versions of tools/lock.txt, with hashes (`make lock` renews them);
.venv-newest has the newest of everything that setup.py allows.

Jazzy's is .venv-jazzy, with the versions of Python's libraries that Ubuntu 24.04 ships, which
Jazzy is built on (tools/ubuntu_24_04.txt).
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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INTERFACES = ROOT / "bea_ros_interfaces"
UBUNTU = ROOT / "tools" / "ubuntu_24_04.txt"
LOCK = ROOT / "tools" / "lock.txt"
COMPILER = ROOT / "tools" / "compiler.txt"  # pinned as LOCK is, installed where it is needed
UBUNTU_MARKERS = "opencv-contrib-python-headless==4.6.0.66"  # of Ubuntu 24.04's version as well
NO_JAZZY_PYTHON = 3  # exit code
# What wheels set for the libraries of their own environment: programs of another one fail with it.
WHEELS = ("_ROS_WHEELS_BOOTSTRAP_COMPLETE", "LD_LIBRARY_PATH", "AMENT_PREFIX_PATH")


def fail(message: str) -> None:
    sys.exit(f"make venv: {message}")


@dataclass(frozen=True)
class Environment:
    """An environment for one of ROS 2's distributions."""

    ros: str

    @property
    def venv(self) -> Path:
        return ROOT / (".venv" if self.ros == "kilted" else f".venv-{self.ros}")

    @property
    def python(self) -> Path:
        return self.venv / "bin" / "python"

    @property
    def stamp(self) -> Path:
        return self.venv / "bea_ros.stamp"

    @property
    def usable(self) -> bool:
        """Whether it is there, and of this version of Python: that of another has no pip here."""
        packages = self.venv / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
        return self.python.exists() and packages.is_dir()

    def fingerprint(self) -> str:
        """Changes whenever the environment has to be made again; not when it is activated."""
        inputs = [ROOT / "setup.py", ROOT / "setup.cfg", COMPILER, Path(__file__)]
        inputs += {"jazzy": [UBUNTU], "kilted": [LOCK]}.get(self.ros, [])
        inputs += sorted(path for path in INTERFACES.rglob("*") if path.is_file())
        digest = hashlib.sha256(f"{sys.version} {sys.base_prefix} {ROOT}".encode())
        for path in inputs:
            digest.update(path.read_bytes())
        return digest.hexdigest()


def jazzy_pythons() -> Iterator[str]:
    """Where a Python 3.12 may be: what the user says, and pyenv's, whose shim may not be set."""
    yield os.environ.get("JAZZY_PYTHON", "python3.12")
    for path in sorted(Path("~/.pyenv/versions").expanduser().glob("3.12*/bin/python3.12")):
        yield str(path)


def find_jazzy_python() -> str | None:
    """The first Python 3.12 that runs and can make an environment."""
    check = "import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, 12))"
    for python in jazzy_pythons():
        if shutil.which(python):
            done = subprocess.run([python, "-c", check], capture_output=True)
            if done.returncode == 0:
                return python
    return None


def check_machine() -> None:
    """End with one line that names what this machine lacks."""
    if sys.version_info < (3, 11) or platform.python_implementation() != "CPython":
        fail(f"needs CPython 3.11 or newer, this is {sys.version.split()[0]}")
    if platform.machine() not in ("x86_64", "AMD64"):
        fail(
            f"PyPI has ROS 2 for x86_64 only, this is {platform.machine()}: "
            "install ROS 2 from apt and build with colcon (docs/install.md)"
        )
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        fail("no Python.h found: install Python's headers, e.g. 'sudo apt install python3-dev'")


def stand_ins(target: Environment) -> list[str]:
    """Wheels for what is not installed; a compiler by name in CC and CXX is left to the user."""
    wheels = [] if shutil.which("cmake") else ["cmake", "ninja"]
    if "CXX" not in os.environ and not any(map(shutil.which, ("c++", "g++", "clang++"))):
        wheels.append("ziglang")
        for variable, tool in (("CC", "cc"), ("CXX", "c++")):
            script = target.venv / "bin" / f"zig-{tool}"
            script.write_text(f'#!/bin/sh\nexec "{target.python}" -m ziglang {tool} "$@"\n')
            script.chmod(0o755)
            os.environ[variable] = str(script)
    return wheels


def run(
    step: str, venv: Path, command: Sequence[object], environment: dict[str, str] | None = None
) -> None:
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
        log = venv / "failed.log" if venv.exists() else Path("make_venv_failed.log")
        log.write_text(done.stdout)
        print("failed")
        tail = "\n".join(done.stdout.splitlines()[-15:])
        fail(f"'{step}' failed; the whole output is in {log}, its end:\n{tail}")
    print(f"{time.monotonic() - began:.0f} s")


def adopt_cmake_targets(target: Environment) -> None:
    """Point the wheels' CMake files at this Python's headers, not those of their build machine."""
    numpy_include = subprocess.check_output(
        [target.python, "-c", "import numpy; print(numpy.get_include())"], text=True
    ).strip()
    for path in (target.venv / "share").rglob("*.cmake"):
        text = path.read_text()
        if "/opt/python/" in text:
            text = re.sub(r"/opt/python/[^;\"]*/numpy/[^;\"]*include", numpy_include, text)
            text = re.sub(
                r"/opt/python/[^;\"/]*/include/[^;\"]*", sysconfig.get_path("include"), text
            )
            path.write_text(text)


def build_interfaces(target: Environment) -> None:
    """Compile bea_ros_interfaces into the venv's own prefix, where it imports like any package."""
    venv = target.venv
    build = venv / "build" / "bea_ros_interfaces"
    environment = {
        **os.environ,
        "AMENT_PREFIX_PATH": str(venv),
        "PATH": f"{venv / 'bin'}:{os.environ['PATH']}",
    }
    configure: list[object] = [
        "cmake",
        "-S", INTERFACES,
        "-B", build,
        f"-DCMAKE_INSTALL_PREFIX={venv}",
        f"-DCMAKE_PREFIX_PATH={venv}",
        f"-DPython3_EXECUTABLE={target.python}",
        "-DBUILD_SHARED_LIBS=ON",
        "-DBUILD_TESTING=OFF",
    ]  # fmt: skip
    jobs = str(os.cpu_count() or 1)
    run("generating the interfaces", venv, configure, environment)
    run("compiling the interfaces", venv, ["cmake", "--build", build, "-j", jobs], environment)
    run("installing the interfaces", venv, ["cmake", "--install", build], environment)


def uv(target: Environment) -> list[object]:
    """How uv installs into the environment.

    Without cache: `adopt_cmake_targets` changes files that uv would share with other environments.
    """
    return [target.venv / "bin" / "uv", "pip", "install", "--no-cache", "--python", target.python]


def pinned(target: Environment, names: Sequence[str], lock: Path) -> list[object]:
    """What pip installs these packages by: those of a lock file alone, with their hashes."""
    entries = []
    for name in names:
        found = re.search(rf"^{name}==.*?(?=^\S|\Z)", lock.read_text(), re.MULTILINE | re.DOTALL)
        assert found, f"{lock} has no {name}"
        entries.append(found[0])
    alone = target.venv / f"{names[0]}.txt"
    alone.write_text("".join(entries))
    return ["--require-hashes", "-r", alone]


def install(
    step: str, target: Environment, pip: Sequence[object], wanted: Sequence[object]
) -> None:
    """Install by uv, which takes a fraction of pip's time.

    By pip where uv fails: it knows nothing of pip's settings, an index of one's own among them.
    """
    run("installing uv", target.venv, [*pip, *pinned(target, ["uv"], LOCK)])
    command = [*uv(target), *wanted]
    began = time.monotonic()
    if subprocess.run([str(word) for word in command], capture_output=True).returncode:
        run(step, target.venv, [*pip, *wanted])
    else:
        print(f"make venv: {step} by uv ... {time.monotonic() - began:.0f} s")


def make(target: Environment) -> None:
    """Make the environment with the Python that runs this, unless it is up to date."""
    wanted = target.fingerprint()
    if target.stamp.exists() and target.stamp.read_text() == wanted:
        return
    check_machine()
    venv = target.venv
    target.stamp.unlink(missing_ok=True)  # what is interrupted is of no version
    if not target.usable:
        run(f"creating {venv.name}", venv, [sys.executable, "-m", "venv", "--clear", venv])
    pip: list[object] = [target.python, "-m", "pip", "install", "--quiet"]
    pip.append("--disable-pip-version-check")
    if target.ros == "jazzy":
        both = ["-r", UBUNTU, "--editable", f"{ROOT}[wheels-jazzy]"]
        install("installing Jazzy and Ubuntu 24.04's versions", target, pip, both)
        # The plain wheel of this version lacks them. Both write the same files: the last wins.
        last = [*pip, "--no-deps", "--force-reinstall", UBUNTU_MARKERS]
        run("installing OpenCV's markers", venv, last)
    elif target.ros == "newest":
        run("installing uv", venv, [*pip, "--upgrade", "uv"])
        newest = [*uv(target), "--upgrade", "--editable", f"{ROOT}[wheels,development]"]
        run("installing packages", venv, newest)
    else:
        install("installing packages", target, pip, ["--require-hashes", "-r", LOCK])
        alone = [*pip, "--no-deps", "--no-build-isolation", "--editable", ROOT]
        run("installing bea_ros", venv, alone)
    wheels = stand_ins(target)
    if wheels:
        run("installing a compiler or CMake", venv, [*pip, *pinned(target, wheels, COMPILER)])
    adopt_cmake_targets(target)
    build_interfaces(target)
    target.stamp.write_text(wanted)
    print(
        f"make venv: done. Now: source {venv.name}/bin/activate; bea doctor; bea learn "
        "(or: make learn)"
    )


def main() -> None:
    ros = sys.argv[1] if len(sys.argv) > 1 else "kilted"
    if ros not in ("kilted", "jazzy", "newest"):
        fail(f"ROS={ros} is none of kilted, jazzy and newest")
    if ros == "jazzy" and sys.version_info[:2] != (3, 12):
        python = find_jazzy_python()
        if python is None:
            print(
                "make venv: Jazzy's wheels need CPython 3.12 with venv: "
                "'apt install python3.12-venv', or name one with JAZZY_PYTHON=..."
            )
            sys.exit(NO_JAZZY_PYTHON)
        sys.exit(subprocess.run([python, __file__, ros]).returncode)
    make(Environment(ros))


if __name__ == "__main__":
    main()
