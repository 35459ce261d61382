# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The film of a run's best gait, by OpenGL where there is any, and by the overhead camera."""

import os
import subprocess
import sys

import cv2
import numpy as np
import pytest
from PIL import Image

from bea_ros.__main__ import main
from bea_ros.images.videos import video_writer
from bea_ros.localization.markers.detector import MarkerDetector
from bea_ros.report.video import Film, watch
from bea_ros.runs.learned import read_learned
from bea_ros.simulation.recording import record
from bea_ros.simulation.world import World
from bea_ros.system.resources import resource_path

SIZE = ("640", "480")


@pytest.fixture
def make_run_elsewhere(make_run, own_robot, tmp_path):
    """A function that makes a run of a robot and in an arena whose markers are not the usual."""
    arena = tmp_path / "lab.yaml"
    text = resource_path("config/arena.yaml").read_text()
    arena.write_text(text.replace("DICT_4X4_50", "DICT_5X5_100"))
    return lambda: make_run(own_robot, arena=str(arena))


def film(run, output, *more, **environment):
    command = [
        sys.executable, "-m", "bea_ros", "watch", str(run), "--output", str(output),
        "--speed", "5", "--duration", "3", "--size", *SIZE, "--gif", *more,
    ]  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def frames(path):
    video = cv2.VideoCapture(str(path))
    found = []
    while (read := video.read())[0]:
        found.append(read[1])
    return found


def codec(path):
    number = int(cv2.VideoCapture(str(path)).get(cv2.CAP_PROP_FOURCC))
    return number.to_bytes(4, "little").decode().lower()


def check(output, marker, dictionary):
    """A film of the length asked for, in which the robot moves and its marker can be read."""
    assert codec(output / "best.mp4") in ("avc1", "h264")  # which every player plays
    with Image.open(output / "best.gif") as animation:
        assert (animation.n_frames, animation.width) == (6, 400)
    pictures = frames(output / "best.mp4")
    assert len(pictures) == 3 / 5 * 25
    assert pictures[0].shape == (480, 640, 3)
    change = np.abs(pictures[0][:400].astype(float) - pictures[-1][:400])  # above the caption
    assert change.max() > 60
    joints = np.abs(pictures[4][40:120, 430:].astype(float) - pictures[-1][40:120, 430:])
    assert joints.max() > 60, "their angles change in the corner"
    still = cv2.imread(str(output / "best.png"), cv2.IMREAD_GRAYSCALE)
    assert still.std() > 10
    return MarkerDetector(dictionary).search(still, marker)


def test_film_by_the_overhead_camera_where_there_is_no_opengl(make_run_elsewhere, tmp_path):
    said = film(make_run_elsewhere(), tmp_path / "film", MUJOCO_GL="disabled")
    assert "apt install libegl1" in said
    assert {1, 2, 3, 4} <= set(check(tmp_path / "film", 60, "DICT_5X5_100"))  # the arena's


def test_a_run_from_another_machine_is_filmed_in_the_arena_that_is_given(
    make_run_elsewhere, tmp_path, capsys
):
    run, here = make_run_elsewhere(), tmp_path / "here.yaml"
    (tmp_path / "lab.yaml").rename(here)
    assert main(["watch", str(run)]) == 2
    assert "lab.yaml cannot be read: No such file" in capsys.readouterr().err
    film(run, tmp_path / "film", "--arena", str(here), MUJOCO_GL="disabled")
    assert {1, 2, 3, 4} <= set(check(tmp_path / "film", 60, "DICT_5X5_100"))


@pytest.mark.parametrize(
    ("made", "dictionary"), [("make_run", "DICT_4X4_50"), ("make_run_elsewhere", "DICT_5X5_100")]
)
def test_film_by_opengl_shows_the_robots_marker(made, dictionary, request, tmp_path):
    run = request.getfixturevalue(made)()
    said = film(run, tmp_path / "film")
    if "no OpenGL" in said:
        pytest.skip("no OpenGL here")
    marker = read_learned(run).robot().marker.id
    assert marker in check(tmp_path / "film", marker, dictionary)  # and not mirrored


def test_recording_between_two_ticks_is_between_them(make_run):
    learned = read_learned(make_run())
    robot = learned.robot()
    recording = record(World(robot), learned.network(robot), 1.0)
    assert len(recording.t) == 21
    modules, marker, base = recording.at(0.5)
    assert np.allclose(modules, recording.modules[10])
    modules, _, base = recording.at(0.525)
    assert np.allclose(base[:3, 3], (recording.base[10, :3, 3] + recording.base[11, :3, 3]) / 2)
    turned = modules[:, :3, :3]
    assert np.allclose(turned @ turned.transpose(0, 2, 1), np.eye(3))
    assert np.linalg.det(turned) == pytest.approx(1.0)
    assert np.allclose(recording.at(99.0)[1], recording.marker[-1])
    assert marker.shape == (4, 4)


def test_a_film_that_is_not_finished_leaves_the_one_before(tmp_path):
    path = tmp_path / "best.mp4"
    path.write_bytes(b"before")

    def interrupted():
        with video_writer(path, 64, 64, 25.0) as write:
            write(np.zeros((64, 64, 3), np.uint8))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_film_that_cannot_be_written_says_where(tmp_path):
    path = tmp_path / "no" / "a.mp4"
    with pytest.raises(FileNotFoundError) as told, video_writer(path, 64, 64, 25.0):
        pass
    assert told.value.filename == str(path)


@pytest.mark.parametrize(
    "wrong",
    [{"speed": 0.0}, {"duration": -1.0}, {"duration": 0.001}, {"size": (641, 480)}],
)
def test_a_film_that_cannot_be_is_refused(wrong, make_run, tmp_path):
    with pytest.raises(ValueError, match=r"cannot be made|is not within"):
        watch(read_learned(make_run()), tmp_path, Film(**wrong))


def test_what_the_encoder_refuses_is_told(tmp_path):
    def write_it():
        with video_writer(tmp_path / "a.unknown", 64, 64, 25.0) as write:
            for _ in range(100):
                write(np.zeros((64, 64, 3), np.uint8))

    with pytest.raises(OSError, match="ffmpeg cannot write it: "):
        write_it()
    assert not list(tmp_path.iterdir())


def test_live_without_a_screen_says_so_in_one_line(make_run, monkeypatch, capfd):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert main(["watch", str(make_run()), "--live"]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("bea watch: --live opens a window, and there is no screen here")


@pytest.mark.parametrize("option", [["--output", "film"], ["--size", *SIZE], ["--gif"]])
def test_what_is_of_a_video_is_refused_live(option, make_run, capsys):
    assert main(["watch", str(make_run()), "--live", *option]) == 2
    said = capsys.readouterr().err
    assert (
        said
        == "bea watch: --output, --size, --arena and --gif are of a video, and --live makes none\n"
    )


def test_a_page_of_a_run_is_of_no_namespace(make_run, capsys):
    run = make_run()
    assert main(["report", str(run), "--namespace", "robot_1"]) == 2
    said = capsys.readouterr().err
    assert said == f"bea report: --namespace is of a rosbag2, and {run} is none\n"
