# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What others laid into a folder leads nowhere, and locks are the machine's."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from example_run import best_of, record, trajectory, write_run

from bea_ros.__main__ import main
from bea_ros.bringup import supervisor
from bea_ros.bringup.node_spec import BringupError
from bea_ros.bringup.supervisor import free_domain
from bea_ros.hardware.output_process import _lock
from bea_ros.images.pictures import write_picture
from bea_ros.images.videos import video_writer
from bea_ros.report.page import write_report
from bea_ros.runs.folder.best import BEST
from bea_ros.runs.folder.head import REQUEST, RunFolderError
from bea_ros.runs.folder.run_folder import LOG, TRAJECTORIES, RunFolder
from bea_ros.system.files import replace_file
from bea_ros.system.locks import machine_lock

ROOT = Path(__file__).resolve().parents[2]
ASKED = {
    "robot": "spider9", "task": "gait", "seed": 1, "algorithm": "bea", "profile": "default",
    "duration": 30.0,
}  # fmt: skip
LAID = [".lock", LOG, TRAJECTORIES, BEST, f".{BEST}.new", f".{REQUEST}.new", "report.html"]


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    path = tmp_path / "precious"
    path.write_text("precious")
    path.chmod(0o600)
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", ASKED, record(1))


def resume(run: Path) -> None:
    folder = RunFolder(run, ASKED, {})
    folder.append(record(len(folder.evaluations) + 1), trajectory(2))
    folder.write_best(best_of(1), "gait")
    folder.close()


@pytest.mark.parametrize("name", LAID)
@pytest.mark.parametrize("what", [resume, lambda run: main(["doctor", str(run)]), write_report])
def test_a_link_in_a_run_folder_empties_nothing(
    run: Path, precious: Path, name: str, what: Callable[[Path], object]
) -> None:
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(precious)
    with contextlib.suppress(RunFolderError):
        what(run)
    assert precious.read_text() == "precious"
    assert precious.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("torn", [True, False])
def test_a_link_to_a_log_is_neither_cut_nor_written(run: Path, tmp_path: Path, torn: bool) -> None:
    """Of another run, say, whose last record is being written."""
    other = tmp_path / "other.jsonl"
    other.write_bytes((run / LOG).read_bytes() + (b'{"evaluation": 2' if torn else b""))
    before = other.read_bytes()
    (run / LOG).unlink()
    (run / LOG).symlink_to(other)
    with pytest.raises(RunFolderError, match=rf"{LOG} is a link"):
        resume(run)
    main(["doctor", str(run)])
    assert other.read_bytes() == before


WRITERS: dict[str, Callable[[Path], object]] = {
    "text": lambda path: replace_file(path, "new"),
    "picture": lambda path: write_picture(path.with_suffix(".png"), np.zeros((4, 4), np.uint8)),
    "markers": lambda path: main(["markers", "--output", str(path.with_suffix(".pdf"))]),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_links_laid_where_a_file_comes_to_be_lead_nowhere(
    tmp_path: Path, precious: Path, writer: str
) -> None:
    for suffix in ("", ".png", ".pdf"):
        for name in (f"out{suffix}", f".out{suffix}.new"):
            (tmp_path / name).symlink_to(precious)
    WRITERS[writer](tmp_path / "out")
    assert precious.read_text() == "precious"


def test_a_folder_or_a_device_is_no_place_for_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root, `--output /dev/stdout` replaced that of the whole machine."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "null").symlink_to("/dev/null")
    for place, kind in ((".", "folder"), ("out", "folder"), ("null", "device")):
        with pytest.raises(OSError, match=f"it is a {kind}, not a file"):
            replace_file(Path(place), "new")
    assert {path.name for path in tmp_path.iterdir()} == {"out", "null"}
    assert (tmp_path / "null").is_char_device()


def test_a_video_comes_to_be_in_a_folder_of_its_own(tmp_path: Path, precious: Path) -> None:
    for name in ("walk.mp4", ".new-walk.mp4"):
        (tmp_path / name).symlink_to(precious)
    with video_writer(tmp_path / "walk.mp4", 64, 64, 25) as write:
        (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
        assert folder.stat().st_mode & 0o777 == 0o700
        write(np.zeros((64, 64, 3), np.uint8))
    assert precious.read_text() == "precious"
    assert (tmp_path / "walk.mp4").stat().st_size > 100
    assert not folder.exists()


def in_another_process(code: str, **environment: str) -> str:
    words = [sys.executable, "-c", code]
    return subprocess.check_output(words, env={**os.environ, **environment}, text=True).strip()


def test_locks_are_the_machines_whatever_the_temporary_folder(tmp_path: Path) -> None:
    """bea servo beside a driver that was started with another TMPDIR, say."""
    lock, domain = free_domain(range(70, 102))
    assert lock
    code = "from bea_ros.bringup.supervisor import free_domain as f; print(f(range(70, 102))[1])"
    assert int(in_another_process(code, TMPDIR=str(tmp_path))) != domain
    lock.close()
    request = {"pins": "file", "board": {"bus": f"{tmp_path}/{'a-long-name' * 20}", "address": 64}}
    held = _lock(request)
    assert held
    code = (
        "from bea_ros.hardware.output_process import _lock\n"
        f"try: _lock({request!r})\n"
        "except Exception as error: print(error)"
    )
    said = in_another_process(code, TMPDIR=str(tmp_path), HOME=str(tmp_path))
    assert said == "another process on this machine drives the servos"
    held.close()
    assert in_another_process(code, TMPDIR=str(tmp_path)) == ""
    assert not list(tmp_path.iterdir())


def test_a_domain_that_somebody_has_is_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "DOMAINS", range(70, 72))
    monkeypatch.setattr(supervisor, "machine_lock", lambda name: None)
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    with pytest.raises(BringupError, match=r"each ROS_DOMAIN_ID from 70 to 71: set ROS_DOMAIN_ID"):
        supervisor._environment(own_domain=True)


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to be two users")
def test_two_users_share_the_locks() -> None:
    lock = machine_lock("test/two-users")
    code = (
        f"import os, sys; sys.path[:] = {sys.path!r}\n"
        "from bea_ros.system.locks import machine_lock\n"
        "os.setuid(65534); print(machine_lock('test/two-users'))"
    )
    assert in_another_process(code) == "None"
    assert lock
    lock.close()


def test_a_lock_goes_with_its_process() -> None:
    code = (
        "import os; from bea_ros.system.locks import machine_lock\n"
        "machine_lock('test/end'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code])
    lock = machine_lock("test/end")
    assert lock
    lock.close()


def test_a_lock_may_have_a_long_name_of_any_letters() -> None:
    for name in ("test/" + "e" * 200, "test/" + "é" * 60):
        lock = machine_lock(name)
        assert lock
        assert machine_lock(name) is None
        lock.close()


def test_nothing_has_a_fixed_name_in_a_folder_that_users_share() -> None:
    found = []
    for path in (ROOT / "bea_ros").rglob("*.py"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"gettempdir\(\)|mktemp\(|[\"']/(var/)?tmp\b|chmod\(0o?6?6?6\)", line):
                found.append(f"{path.name}:{number}: {line.strip()}")
    assert [line for line in found if "_space(" not in line] == []
