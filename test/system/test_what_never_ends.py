# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A FIFO, a device or an endless file in the place of any file that is read: one line, no wait."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from example_run import record, write_run
from graph import PATIENCE

from bea_ros.__main__ import main
from bea_ros.bags.reading import BagError, read_bag
from bea_ros.bringup.arguments import LEARN_ARGUMENTS, ROBOT_ARGUMENTS
from bea_ros.bringup.graphs import check_files
from bea_ros.bringup.node_spec import BringupError
from bea_ros.bringup.parameter_file import configured
from bea_ros.hardware.servos import ServosError, load_servos, servos_path
from bea_ros.images.footage import FootageError, frames
from bea_ros.localization.arena import Arena, ArenaError
from bea_ros.localization.camera_info import CameraInfoError, read_camera_info
from bea_ros.repertoire.store import RepertoireError, load
from bea_ros.report.trials import TRIALS, load_trials
from bea_ros.robots import RobotError, load_robot
from bea_ros.runs.folder.best import BEST
from bea_ros.runs.folder.head import REQUEST, RunFolderError
from bea_ros.runs.folder.run_folder import LOG, TRAJECTORIES, RunFolder
from bea_ros.runs.warm_start import start_candidates
from bea_ros.studies.engine.data import SETTINGS, read_settings, read_table
from bea_ros.system.files import read_whole
from bea_ros.system.resources import resource_path

TiB = 2**40


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """Have a test end that waits."""

    def too_late(number: int, frame: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, too_late)
    signal.alarm(round(PATIENCE))  # what waits for a writer waits for ever
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        here = os.open(path.parent, os.O_RDONLY)
        one.bind(f"/proc/self/fd/{here}/{path.name}")  # whose path may be long
        os.close(here)


def a_sparse_file(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(TiB)


NO_FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "FIFO": (os.mkfifo, "is a FIFO, not a file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "is a device, not a file"),
    "terminal": (lambda path: path.symlink_to("/dev/ptmx"), "is a device, not a file"),
    "socket": (a_socket, "is a socket, not a file"),
    "folder": (Path.mkdir, "is a folder, not a file"),
    "endless": (a_sparse_file, r"it is larger than \d+ (MiB|GiB)"),
}


def robot_file(path: Path) -> Path:
    text = resource_path("urdf/gecko7.urdf.xacro").read_text()
    robot = path.with_name("ant.urdf.xacro")
    robot.write_text(text.replace('filename="modules/', 'filename="$(arg modules)/'))
    return robot


def study(path: Path) -> object:
    return read_settings(path.parent) if path.name == SETTINGS else read_table(path)


# What is read: the file's name, how, and what it is refused with.
READ: dict[str, tuple[str, Callable[[Path], object], type[Exception]]] = {
    "config": ("a.yaml", lambda path: configured([], str(path), ()), BringupError),
    "arena": ("a.yaml", Arena.load, ArenaError),
    "servos": ("a.yaml", lambda path: load_servos(path, load_robot("spider9")), ServosError),
    "camera": ("a.yaml", read_camera_info, CameraInfoError),
    "robot": ("walker.urdf.xacro", load_robot, RobotError),
    "robot's numbers": ("ant.yaml", lambda path: load_robot(robot_file(path)), RobotError),
    "repertoire": ("a.npz", load, RepertoireError),
    "trials": (TRIALS, lambda path: load_trials(path.parent), RunFolderError),
    "picture": ("a.png", lambda path: list(frames([path])), FootageError),
    "video": ("a.mp4", lambda path: list(frames([path])), FootageError),
    "recording": ("a.mcap", lambda path: read_bag(path, None), BagError),
    "database": ("a.db3", lambda path: read_bag(path, None), BagError),
    "file of a recording": ("a.mcap", lambda path: read_bag(path.parent, None), BagError),
    "recording's contents": ("metadata.yaml", lambda path: read_bag(path.parent, None), BagError),
    "settings": (SETTINGS, study, OSError),
    "table": ("runs.csv", study, OSError),
}


@pytest.mark.parametrize("no_file", NO_FILES)
@pytest.mark.parametrize("read", READ)
def test_what_is_no_file_is_refused_in_a_line(tmp_path: Path, no_file: str, read: str) -> None:
    name, reader, error = READ[read]
    make, said = NO_FILES[no_file]
    if (read, no_file) == ("robot", "endless"):
        said = "it is larger than 1 MiB"
    if read == "robot":
        (tmp_path / "walker.yaml").write_text("marker_id: 7")
    make(tmp_path / name)
    if no_file == "folder" and read in ("picture", "video", "recording", "database", "repertoire"):
        return  # which is one of pictures, a recording, or an exploration
    if no_file == "endless" and read in ("video", "recording", "database", "file of a recording"):
        said = "."  # their libraries read no more of them than they want
    with pytest.raises(error, match=said) as told:
        reader(tmp_path / name)
    assert "\n" not in str(told.value)


ASKED = {
    "robot": "gecko7", "generation": "small", "masses": "nominal", "task": "gait", "seed": 1,
    "algorithm": "bea", "profile": "default", "duration": 30.0, "evaluations": 2,
}  # fmt: skip
COMMANDS: dict[str, Callable[[Path], object]] = {
    "list": lambda run: main(["list", str(run.parent)]),
    "doctor": lambda run: main(["doctor", str(run)]),
    "report": lambda run: main(["report", str(run)]),
    "export": lambda run: main(["export", "--csv", str(run)]),
    "replay": lambda run: main(["replay", str(run)]),
    "compare": lambda run: main(["compare", str(run)]),
    "warm_start": lambda run: start_candidates(run, ["leg_00"], 1.5, 1),
    "learn": lambda run: RunFolder(run, ASKED, {}),
}
READERS = {
    REQUEST: "list doctor report export replay compare learn",
    LOG: "list doctor report export replay compare warm_start learn",
    TRAJECTORIES: "doctor report export learn",
    BEST: "doctor replay",
    ".lock": "list learn",
}


@pytest.mark.parametrize("no_file", NO_FILES)
@pytest.mark.parametrize(
    ("name", "reader"), [(n, r) for n, readers in READERS.items() for r in readers.split()]
)
def test_a_run_folder_with_what_is_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture, no_file: str, name: str, reader: str
) -> None:
    run = tmp_path / "run"
    write_run(run, ASKED, record(1), best=1)
    (run / name).unlink(missing_ok=True)
    NO_FILES[no_file][0](run / name)
    if (no_file, name) == ("endless", ".lock"):
        return  # which nobody reads to its end
    wanted = NO_FILES[no_file][1] + (r"|\.lock is a link" if reader == "learn" else "")
    try:
        assert COMMANDS[reader](run) != 0
        said = "".join(capsys.readouterr())
    except RunFolderError as error:
        said = str(error)
    assert re.search(wanted, said)
    assert "Traceback" not in said


def test_a_calibration_of_ones_own_that_is_no_file_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_HOME", str(tmp_path))
    (tmp_path / "servos").mkdir()
    os.mkfifo(tmp_path / "servos" / "spider9.yaml")
    arguments = {a.name: a.default for a in (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS)}
    with pytest.raises(ServosError, match="is a FIFO"):
        check_files({**arguments, "robot_backend": "hardware"})
    assert servos_path("gecko7") == resource_path("config/servos/gecko7.yaml")


def test_pictures_are_read_as_opencv_reads_them(tmp_path: Path) -> None:
    drawn = np.random.default_rng(1).integers(0, 255, (60, 80, 3), np.uint8)
    for suffix in (".png", ".jpg", ".bmp"):
        path = tmp_path / f"a{suffix}"
        cv2.imwrite(str(path), drawn)
        ((_, grey),) = frames([path])
        assert np.array_equal(grey, cv2.imread(str(path), cv2.IMREAD_GRAYSCALE))
        ((_, colour),) = frames([path], colour=True)
        assert np.array_equal(colour[:, :, ::-1], cv2.imread(str(path)))


def test_a_file_may_be_as_large_as_allowed_and_no_larger(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1234")
    assert read_whole(tmp_path / "a", 4) == b"1234"
    with pytest.raises(OSError, match="larger than 3 bytes"):
        read_whole(tmp_path / "a", 3)


def test_a_small_computer_reads_a_small_file(tmp_path: Path) -> None:
    """Where there is not as much memory as the largest file may have."""
    (tmp_path / "a").write_bytes(b"1234")
    code = (
        "import resource; from bea_ros.system.files import LARGEST, read_whole; "
        "resource.setrlimit(resource.RLIMIT_AS, (LARGEST // 2,) * 2); print(read_whole('a'))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert done.stdout == b"b'1234'\n", done.stderr
