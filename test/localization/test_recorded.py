# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea localize: a video made by the simulator's camera gives the trajectory that made it."""

from __future__ import annotations

import csv
import math
import shutil
import subprocess
from pathlib import Path

import cv2
import numpy as np
import PIL.ExifTags
import PIL.Image
import pytest

from bea_ros.__main__ import main
from bea_ros.images.footage import FootageError, frames
from bea_ros.images.jpeg import decode
from bea_ros.images.pictures import grey_of
from bea_ros.images.videos import find_ffmpeg, video_writer
from bea_ros.localization.arena import load_arena
from bea_ros.localization.camera_info import write_camera_info
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.simulation.camera.overhead import OverheadCamera, overhead_pose
from bea_ros.simulation.observed import WorldCamera
from bea_ros.simulation.rollout import CONTROL_RATE, drive, sample, trajectory_of_samples
from bea_ros.simulation.world import World
from bea_ros.tasks import find_task

RATE, DURATION, LEAD = 5.0, 6.0, 0.6  # frames per s, s, s of standing still before


class Recorded:
    """A walk, filmed: `folder` holds walk.avi, pictures of it, and camera.yaml."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        robot = load_robot("spider9")
        world = World(robot)
        camera = OverheadCamera(load_arena(robot), pose=overhead_pose(2.5, roll=0.02))
        eye = WorldCamera(world, camera)
        write_camera_info(folder / "camera.yaml", "overhead", camera.intrinsics)
        rng = np.random.default_rng(12)
        cpg = CpgNetwork(robot, rng.uniform(0, 1, len(robot.parameter_names)))
        (folder / "pictures").mkdir()
        samples = []
        codec = cv2.VideoWriter.fourcc(*"MJPG")  # quick
        film = cv2.VideoWriter(str(folder / "walk.avi"), codec, RATE, (640, 480))
        for tick in drive(world, cpg, DURATION, start=(0.3, -0.4, 0.8)):
            samples.append(sample(world))
            frame, between = divmod(tick, round(CONTROL_RATE / RATE))
            if between:
                continue
            image = eye.take(world.scene(), frame)
            repeats = round(LEAD * RATE) + 1 if frame == 0 else 1
            for _ in range(repeats):
                film.write(np.dstack([image] * 3))
            cv2.imwrite(str(folder / "pictures" / f"{frame:04}.png"), image)
        film.release()
        self.truth = trajectory_of_samples(np.array(samples))


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return Recorded(tmp_path_factory.mktemp("walk"))


def localize(walk: Recorded, source: str, output: Path, *more: str) -> int:
    return main(
        ["localize", str(walk.folder / source), "--camera-info", str(walk.folder / "camera.yaml"),
         "--output", str(output), *more]
    )  # fmt: skip


def columns(output: Path) -> dict[str, np.ndarray]:
    with (output / "trajectory.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def told(said: str) -> float:
    (line,) = [line for line in said.splitlines() if " s over " in line]
    return float(line.split(": ")[1].split()[0])


@pytest.mark.parametrize(
    ("task", "tolerance"), [("gait", 0.0008), ("directed_locomotion", 0.004), ("rotating", 0.12)]
)
def test_the_fitness_from_the_video_is_the_true_one(walk, tmp_path, capsys, task, tolerance):
    more = ["--task", task, "--start", str(LEAD), "--duration", str(DURATION), "--no-video"]
    assert localize(walk, "walk.avi", tmp_path, *more) == 0
    truth = find_task(task).evaluate(walk.truth, DURATION).value
    assert told(capsys.readouterr().out) == pytest.approx(truth, abs=tolerance)
    assert not (tmp_path / "annotated.mp4").exists()


def test_the_trajectory_is_the_walk_s(walk, tmp_path, capsys):
    assert localize(walk, "walk.avi", tmp_path, "--no-video") == 0
    assert "34 of 34 images show the robot, 6.6 s" in capsys.readouterr().out
    seen, truth = columns(tmp_path), walk.truth
    at = seen["t"] - LEAD
    for name, tolerance in (("x", 0.01), ("y", 0.01), ("yaw", math.radians(1.5))):
        true = np.interp(at, truth.t, getattr(truth, name))
        assert np.abs(seen[name] - true).max() < tolerance
    assert (seen["sigma"] < 0.02).all()


def test_the_annotated_video_shows_what_was_found(walk, tmp_path):
    pattern = str(walk.folder / "pictures" / "000*.png")
    assert localize(walk, pattern, tmp_path, "--rate", str(RATE)) == 0
    drawn = list(frames([tmp_path / "annotated.mp4"], colour=True))
    assert len(drawn) == 10
    assert drawn[-1][0] == pytest.approx(9 / RATE, abs=0.02)
    picture = drawn[-1][1].astype(int)
    assert picture.shape[1] == 640
    assert picture.shape[0] > 480  # a caption below
    assert (np.ptp(picture, axis=2) > 60).sum() > 300  # coloured lines on a grey image


def test_a_folder_of_pictures_does_as_well(walk, tmp_path, capsys):
    assert localize(walk, "pictures", tmp_path, "--rate", str(RATE), "--no-video") == 0
    said = capsys.readouterr().out
    truth = find_task("gait").evaluate(walk.truth, DURATION).value
    assert told(said) == pytest.approx(truth, abs=0.0008)
    assert columns(tmp_path)["t"][-1] == pytest.approx(DURATION)


def test_times_of_pictures_follow_from_their_numbers(walk, tmp_path, capsys):
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for number, path in enumerate(sorted((walk.folder / "pictures").iterdir())):
        if number not in (4, 5, 17):
            (pictures / f"walk{5 * number}.png").write_bytes(path.read_bytes())

    def localized(*more: str) -> int:
        walked = walk.folder / "camera.yaml"
        words = ["localize", str(pictures), "--camera-info", str(walked), "--no-video"]
        return main([*words, "--output", str(tmp_path), *more])

    assert localized() == 2  # at which rate?
    assert f"{pictures}: pictures and bare streams have no times; give" in capsys.readouterr().err
    assert localized("--rate", str(RATE)) == 0
    said = capsys.readouterr().out
    truth = find_task("gait").evaluate(walk.truth, DURATION).value
    assert told(said) == pytest.approx(truth, abs=0.0008)
    assert "28 of 28 images show the robot, 6.0 s" in said
    found = columns(tmp_path)
    true = np.interp(found["t"], walk.truth.t, walk.truth.x)
    assert np.abs(found["x"] - true).max() < 0.01

    (pictures / "walk62.png").write_bytes((pictures / "walk60.png").read_bytes())
    assert localized("--rate", str(RATE)) == 2
    said = capsys.readouterr().err
    assert f"{pictures}/walk0.png and walk5.png: the numbers of pictures must go in equal" in said
    with pytest.raises(FootageError, match=r"walk0.png and walk10.png: the numbers"):
        list(frames([pictures / f"walk{number}.png" for number in (0, 10, 5)], RATE))


@pytest.mark.parametrize("rate", [24, 30, 60])
def test_a_clip_shorter_than_the_task_is_measured_up_to_its_last_image(walk, tmp_path, rate):
    """Whose duration, in ns, is that of its stamps: else one clip in nine ended 1 ns too early."""
    pictures = sorted((walk.folder / "pictures").iterdir())[:12]
    empty = np.full((480, 640), 90, np.uint8)
    for before in range(3, 12):
        clip = tmp_path / f"clip{before}"
        clip.mkdir()
        for number in range(before):
            cv2.imwrite(str(clip / f"{number}.png"), empty)
        for number, path in enumerate(pictures, before):
            (clip / f"{number}.png").write_bytes(path.read_bytes())
        assert localize(walk, str(clip), tmp_path, "--rate", str(rate), "--no-video") == 0


def test_a_picture_of_another_size_leaves_the_video_whole(walk, tmp_path):
    clip = tmp_path / "clip"
    shutil.copytree(walk.folder / "pictures", clip)
    other = cv2.imread(str(clip / "0003.png"))[:301, :401]
    cv2.imwrite(str(clip / "0003.png"), other)
    assert localize(walk, str(clip), tmp_path, "--rate", str(RATE)) == 0
    before, at, after = (image for _, image in list(frames([tmp_path / "annotated.mp4"]))[2:5])
    assert np.abs(at[:280, :401].astype(float) - other[:280, :, 0]).mean() < 12
    assert np.abs(after[:480].astype(float) - before[:480]).mean() < 4, "not shifted"


def test_images_are_the_sensors_however_the_camera_was_held(tmp_path):
    picture = np.zeros((48, 64, 3), np.uint8)
    picture[:10, :20] = 255
    turned, video, remuxed = (tmp_path / name for name in ("a.jpg", "b.mp4", "c.mp4"))
    metadata = PIL.Image.Exif()
    metadata[PIL.ExifTags.Base.Orientation] = 6
    PIL.Image.fromarray(picture).save(turned, quality=98, exif=metadata)
    with video_writer(video, 64, 48, 5.0) as write:
        write(picture)
    copy = ["-display_rotation", "90", "-i", str(video), "-c", "copy", str(remuxed)]
    subprocess.run([find_ffmpeg(), "-loglevel", "error", *copy], check=True)
    for colour in (False, True):
        (_, photo), (_, frame) = frames([turned, remuxed], colour=colour)
        for seen in (photo, frame, decode(turned.read_bytes(), colour)):
            assert seen.shape[:2] == (48, 64)
            assert np.abs(grey_of(seen).astype(int) - picture[..., 0]).mean() < 5


def test_what_cannot_be_measured_is_told(walk, tmp_path, capsys):
    assert localize(walk, "walk.avi", tmp_path, "--duration", "30", "--no-video") == 1
    assert "no fitness: the robot was not seen at the end" in capsys.readouterr().out
    (tmp_path / "bare").mkdir()
    cv2.imwrite(str(tmp_path / "bare" / "0.png"), np.full((480, 640), 90, np.uint8))
    bare = [str(tmp_path / "bare"), tmp_path, "--rate", "5", "--no-video"]
    for more in ([], ["--start", "1e300"]):
        assert localize(walk, *bare, *more) == 1
        assert "no fitness: the robot was never seen" in capsys.readouterr().out
    single = str(walk.folder / "pictures" / "0000.png")
    assert localize(walk, single, tmp_path, "--rate", "5", "--no-video") == 2
    assert "nothing to measure from 0 s on: the robot" in capsys.readouterr().err
    assert localize(walk, "walk.avi", tmp_path, "--rate", "nan") == 2
    assert "--rate is nan: allowed is a number from 0" in capsys.readouterr().err
    assert localize(walk, "walk.avi", tmp_path, "--duration", "1e300") == 2
    assert "a duration of 1e+300 s is not within 0.1 to 3600 s" in capsys.readouterr().err
    (tmp_path / "walk.H264").write_bytes(b"as a Raspberry Pi writes it")
    assert localize(walk, str(tmp_path / "walk.H264"), tmp_path) == 2
    assert "bare streams have no times; give --rate" in capsys.readouterr().err
    assert localize(walk, "none.mp4", tmp_path / "nothing") == 2
    assert "no such file, folder or pattern" in capsys.readouterr().err
    assert not (tmp_path / "nothing").exists()
    (tmp_path / "text.mp4").write_text("no video")
    with pytest.raises(FootageError, match="not a video that OpenCV can read"):
        list(frames([tmp_path / "text.mp4"]))
    (tmp_path / "empty").mkdir()
    with pytest.raises(FootageError, match="no pictures in this folder"):
        list(frames([tmp_path / "empty"]))


def test_one_clip_comes_after_the_other(walk: Recorded) -> None:
    clip = walk.folder / "walk.avi"
    times = [time for time, _ in frames([clip, clip])]
    assert np.diff(times) == pytest.approx(1 / RATE, abs=0.01)
