# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What gets installed, and what package.xml says it needs."""

from __future__ import annotations

import ast
import importlib
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import venv
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import make_venv
import pytest
import yaml
from make_venv import Environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bea_ros.nodes.executables import MODULES

ROOT = Path(__file__).resolve().parent.parent
ROSDEP_KEYS = {
    "aiohttp": "python3-aiohttp",
    "argcomplete": "python3-argcomplete",
    "cv2": "python3-opencv",
    "gpiozero": "python3-gpiozero",
    "imageio_ffmpeg": "ffmpeg",  # which it would bring
    "joblib": "python3-sklearn",  # which depends on it
    "matplotlib": "python3-matplotlib",
    "mujoco": "python3-mujoco-pip",
    "numpy": "python3-numpy",
    "pandas": "python3-pandas",
    "psutil": "python3-psutil",
    "rich": "python3-rich",
    "rosbags": "python3-rosbags-pip",
    "scipy": "python3-scipy",
    "sklearn": "python3-sklearn",
    "smbus2": "python3-smbus2",
    "threadpoolctl": "python3-sklearn",  # which depends on it
    "yaml": "python3-yaml",
}
# Studies that use these say how to get them, or leave them out by name.
OPTIONAL = {"cma", "distributed", "lgpio"} | {
    "bayes_opt", "cmaes", "ioh", "nevergrad", "optuna", "ribs", "nlopt", "mlflow", "tensorboardX",
    "smac", "ConfigSpace",
}  # fmt: skip


@pytest.fixture
def setup_arguments(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What setup.py passes to setup()."""
    setuptools = pytest.importorskip("setuptools")
    captured: dict[str, Any] = {}
    monkeypatch.setattr(setuptools, "setup", captured.update)
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    return captured


def test_every_file_beside_the_code_is_installed_in_its_place(
    setup_arguments: dict[str, Any],
) -> None:
    installed = {
        f"{folder}/{Path(source).name}"
        for folder, sources in setup_arguments["data_files"]
        for source in sources
    }
    for folder, pattern in (("launch", "*.launch.py"), ("urdf", "*.xacro"), ("config", "*.*")):
        files = list((ROOT / folder).rglob(pattern))
        assert files
        for path in files:
            assert f"share/bea_ros/{path.relative_to(ROOT)}" in installed
    assert "share/bea_ros/package.xml" in installed
    assert "share/ament_index/resource_index/packages/bea_ros" in installed


def test_bea_is_on_path_after_colcon(tmp_path: Path) -> None:
    """colcon puts PREFIX/bin on PATH if there is anything in it; the scripts are elsewhere."""
    pytest.importorskip("setuptools")
    prefix, build = tmp_path / "install", tmp_path / "build"
    build.mkdir()
    as_colcon_does = [
        "egg_info", "--egg-base", build, "build", "--build-base", build, "install",
        "--prefix", prefix, "--record", build / "install.log",
        "--single-version-externally-managed",
    ]  # fmt: skip
    command = [sys.executable, "setup.py", *map(str, as_colcon_does)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    folder = sysconfig.get_path("purelib", "posix_prefix", {"base": str(prefix)})
    path = f"{prefix / 'bin'}:{os.environ['PATH']}"
    assert shutil.which("bea", path=path) == str(prefix / "bin" / "bea")
    environment = {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}",
    }
    told = ["bea", "robots", "--no-such-option"]
    said = subprocess.run(told, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert said.returncode == 2
    assert said.stderr.startswith("bea robots: unknown --no-such-option")
    assert (prefix / "lib" / "bea_ros" / "bea").is_file()  # for ros2 run


@pytest.mark.parametrize("command", ["bdist_wheel", "dist_info", "editable_wheel"])
def test_pip_makes_bea_itself(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel with a bin/bea beside its entry point would have two of them in one place, and nodes
    called `gazebo` or `page` would be on PATH.
    """
    setuptools = pytest.importorskip("setuptools")
    given: dict[str, Any] = {}
    monkeypatch.setattr(setuptools, "setup", given.update)
    monkeypatch.setattr(sys, "argv", ["setup.py", command])
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    assert "bin" not in dict(given["data_files"])
    assert given["entry_points"]["console_scripts"] == ["bea = bea_ros.__main__:main"]


def test_every_node_is_an_executable_and_every_executable_starts_one(
    setup_arguments: dict[str, Any],
) -> None:
    scripts = setup_arguments["entry_points"]["console_scripts"]
    entries = dict(script.split(" = ") for script in scripts)
    modules = (ROOT / "bea_ros" / "nodes").rglob("*.py")
    with_main = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in modules
        if re.search(r"^(def main\(|main = )", path.read_text(), re.M)
    }
    assert set(entries) - {"bea"} == set(MODULES)
    assert set(MODULES.values()) == with_main
    for target in entries.values():
        module, function = target.split(":")
        assert callable(getattr(importlib.import_module(module), function))


def test_executables_start_their_own_node(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    from bea_ros.nodes import executables

    monkeypatch.setattr(executables.signal, "signal", lambda number, handler: None)
    for name, module in MODULES.items():
        stub = SimpleNamespace(main=lambda name=name: len(name))
        monkeypatch.setitem(sys.modules, module, stub)
        assert getattr(executables, name)() == len(name)


def test_packages_include_every_folder_of_code(setup_arguments: dict[str, Any]) -> None:
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "bea_ros").rglob("*.py")}
    assert {".".join(folder.parts) for folder in folders} == set(setup_arguments["packages"])


def test_package_xml_and_setup_agree_on_the_version(setup_arguments: dict[str, Any]) -> None:
    manifest = ElementTree.parse(ROOT / "package.xml").getroot()
    assert manifest.findtext("version") == setup_arguments["version"]
    assert manifest.findtext("name") == setup_arguments["name"] == "bea_ros"
    assert manifest.get("format") == "3"


def test_package_xml_names_everything_that_is_imported_or_launched() -> None:
    manifest = ElementTree.parse(ROOT / "package.xml").getroot()
    declared = {e.text for e in manifest if e.tag in ("depend", "exec_depend")}
    sources = [*(ROOT / "bea_ros").rglob("*.py"), *(ROOT / "launch").glob("*.py")]
    imported = {name for path in sources for name in _imports(path)}
    third_party = imported - set(sys.stdlib_module_names) - OPTIONAL - {"bea_ros"}
    needed = {ROSDEP_KEYS.get(name, name) for name in third_party}
    assert needed | {"robot_state_publisher", "rviz2", "ros2launch"} <= declared


def _imports(path: Path) -> set[str]:
    """Top-level names of the modules a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def test_the_lock_has_what_setup_asks_for(setup_arguments: dict[str, Any]) -> None:
    extras = setup_arguments["extras_require"]
    wanted = [*setup_arguments["install_requires"], *extras["wheels"], *extras["development"]]
    lock = (ROOT / "tools" / "lock.txt").read_text()
    locked = re.findall(r"^([\w.-]+)==([\w.]+).*?((?:\\\n +--hash=sha256:\w+ ?)+)", lock, re.M)
    versions: dict[str, set[str]] = {}
    for name, version, _ in locked:
        versions.setdefault(canonicalize_name(name), set()).add(version)
    assert len(locked) == len(re.findall(r"^[\w.-]+==", lock, re.M))  # each has hashes
    for text in wanted:
        requirement = Requirement(text)
        found = versions.get(canonicalize_name(requirement.name), set())
        assert found, f"{text}: make lock"
        assert all(requirement.specifier.contains(one) for one in found), f"{text}: make lock"


def test_an_activated_environment_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Environment("kilted").fingerprint()
    monkeypatch.setattr(sys, "prefix", str(ROOT / ".venv"))
    assert Environment("kilted").fingerprint() == made


def test_an_environment_of_another_python_is_made_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As after an upgrade of the system: its python is another one then, which finds no pip."""
    monkeypatch.setattr(make_venv, "ROOT", tmp_path)
    target = Environment("kilted")
    assert not target.usable
    venv.create(target.venv, symlinks=True, with_pip=False)
    assert target.usable
    monkeypatch.setattr(sys, "version_info", (3, 99))
    assert not target.usable


WITHOUT = """
import sys
missing, *words = sys.argv[1:]
class Without:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in missing.split(","):
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
sys.meta_path.insert(0, Without())
from bea_ros.__main__ import main
sys.exit(main(words))
"""
ROS = "rclpy,bea_ros_interfaces"


@pytest.mark.parametrize(
    ("missing", "words", "said"),
    [
        (ROS, "learn", "ROS 2 is needed"),
        (ROS, "learn --in-process", "ROS 2 is needed"),
        (ROS, "operator status", "ROS 2 is needed"),
        ("numpy", "learn --help", "numpy is not installed"),
        ("cv2", "report .", "cv2 is not installed"),
    ],
)
def test_what_is_not_installed_is_said_in_a_line(
    missing: str, words: str, said: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, missing, *words.split()],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_what_github_reads_is_yaml() -> None:
    files = [*(ROOT / ".github").rglob("*.yml"), *ROOT.glob("*.yml")]
    assert len(files) >= 5
    for file in files:
        if file.name != "mkdocs.yml":  # has tags of its own
            assert isinstance(yaml.safe_load(file.read_text()), dict), file
    for form in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        for part in yaml.safe_load(form.read_text()).get("body", []):
            assert part["attributes"]["label"]
