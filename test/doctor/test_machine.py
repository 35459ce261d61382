# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea doctor: what a machine that lacks something is told."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bea_ros.__main__ import main
from bea_ros.doctor import machine

ROOT = Path(__file__).resolve().parents[2]
Diagnosis = tuple[int, list[str]]


@pytest.fixture
def diagnose(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Diagnosis]:
    """The exit code and the lines for a machine that has all packages but some."""

    def room(folder: str) -> Any:
        return SimpleNamespace(free=0 if Path(folder).resolve() == tmp_path else 2**40)

    def told(*lacking: str, model: str = "") -> Diagnosis:
        def load(name: str) -> Any:
            if name in lacking:
                raise ModuleNotFoundError(f"No module named {name!r}")
            return SimpleNamespace(__version__="1.0")

        board = tmp_path / "model"
        if model:
            board.write_text(model)
        monkeypatch.setattr(machine, "import_module", load)
        monkeypatch.setattr(machine, "MODEL", board)
        monkeypatch.setattr(machine.shutil, "disk_usage", room)
        for check in ("_dds", "_opencv"):
            well = machine.Finding(check, True, "well")
            monkeypatch.setattr(machine, check, lambda *given, well=well: well)
        code = main(["doctor"])
        return code, capsys.readouterr().out.splitlines()

    return told


def line_of(said: list[str], words: str) -> int:
    (number,) = [number for number, line in enumerate(said) if words in line]
    return number


def test_a_machine_that_has_all_learns_in_simulation(diagnose: Callable[..., Diagnosis]) -> None:
    code, said = diagnose()
    assert (code, said[-1]) == (0, "all is well: bea learn")


@pytest.mark.parametrize("package", ["scipy", "mujoco"])  # a real robot's learner simulates, too
def test_what_every_machine_needs_is_missing(
    diagnose: Callable[..., Diagnosis], package: str
) -> None:
    code, said = diagnose(package)
    assert (code, said[-1]) == (1, "1 thing missing")
    number = next(number for number, line in enumerate(said) if line.startswith("missing"))
    assert f"pip install {package}" in said[number + 1]


def test_the_disk_is_the_one_that_runs_are_written_to(
    diagnose: Callable[..., Diagnosis], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = diagnose()
    assert code == 1
    assert said[line_of(said, "disk")].startswith("missing")


WITH_NOTHING = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in (*sys.stdlib_module_names, "bea_ros"):
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

sys.meta_path.insert(0, Nothing())
from bea_ros.__main__ import main
sys.exit(main(["doctor"]))
"""


def test_full_shared_memory_is_named_before_rclpy_is_imported(
    diagnose: Callable[..., Diagnosis],
) -> None:
    _, said = diagnose()
    assert line_of(said, "shared memory") < line_of(said, "rclpy")


def test_a_machine_that_lacks_every_package_is_told_of_each(tmp_path: Path) -> None:
    """As where rosdep was left out; what the doctor itself needed ended it with a traceback."""
    done = subprocess.run(
        [sys.executable, "-c", WITH_NOTHING], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    missing = {
        line.split()[1].rstrip(":") for line in done.stdout.splitlines() if "missing " in line
    }
    assert {"numpy", "xacro", "PyYAML", "rich", "rosbags", "pandas", "aiohttp"} <= missing


@pytest.mark.parametrize(
    ("lacking", "model", "mark", "code"),
    [
        (("lgpio", "pigpio"), "Raspberry Pi 4 Model B Rev 1.4\0", "missing", 1),
        (("lgpio", "pigpio"), "another board\0", "no", 0),
        (("lgpio", "pigpio"), "", "no", 0),
        (("lgpio", "pigpio", "gpiozero"), "Raspberry Pi 5 Model B\0", "no", 0),  # a PCA9685
        (("lgpio",), "Raspberry Pi 4 Model B Rev 1.4\0", "ok", 0),
        (("pigpio",), "Raspberry Pi 4 Model B Rev 1.4\0", "ok", 0),
    ],
)
def test_a_raspberry_pi_with_gpiozero_needs_a_library_for_its_pulses(
    diagnose: Callable[..., Diagnosis], lacking: tuple[str, ...], model: str, mark: str, code: int
) -> None:
    told, said = diagnose(*lacking, model=model)
    number = line_of(said, "lgpio or pigpio")
    assert said[number].split()[0] == mark
    assert ("apt install python3-lgpio" in said[number + 1]) == (mark != "ok")
    assert told == code


def test_a_busy_machine_is_not_one_without_processors(
    diagnose: Callable[..., Diagnosis], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine.os, "getloadavg", lambda: (47.0, 47.0, 47.0))
    monkeypatch.setattr(machine.os, "cpu_count", lambda: 2)
    code, said = diagnose()
    assert said[line_of(said, "processors")] == "busy     processors: 2, at load 47.0"
    assert code == 0


def test_dds_is_waited_for_as_long_as_a_busy_machine_takes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The other process takes longer to load than a message may take."""
    pytest.importorskip("rclpy")
    (tmp_path / "sitecustomize.py").write_text("import time; time.sleep(4)")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setattr(machine, "PATIENCE", 1.0)
    monkeypatch.setattr(machine, "_patience", lambda: 60.0, raising=False)
    found = machine._dds()
    assert found.good, found.detail


@pytest.mark.parametrize("domain", ["233", "lab"])
def test_a_domain_that_dds_cannot_have_is_named(
    monkeypatch: pytest.MonkeyPatch, domain: str
) -> None:
    """By the first one Fast DDS would end the doctor."""
    monkeypatch.setenv("ROS_DOMAIN_ID", domain)
    found = machine._dds()
    assert not found.good
    assert found.detail == f"ROS_DOMAIN_ID is {domain}"
    assert found.remedy == "unset it, or set a whole number from 0 to 232"


def test_patience_grows_with_the_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.os, "cpu_count", lambda: 2)
    for load, patience in ((0.5, 10), (6.0, 30), (47.0, 60)):
        monkeypatch.setattr(machine.os, "getloadavg", lambda load=load: (load,) * 3)
        assert machine._patience() == patience
