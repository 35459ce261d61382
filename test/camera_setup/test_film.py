# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The tutorial without a camera: film, calibrate, check, localize, held against the truth."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bea_ros.__main__ import main
from bea_ros.images.footage import read_picture
from bea_ros.localization.arena import load_arena
from bea_ros.localization.camera_info import read_camera_info
from bea_ros.localization.tracker import Tracker
from bea_ros.robots.damage import Damage
from bea_ros.runs.learned import read_learned
from bea_ros.simulation.camera.overhead import default_intrinsics
from bea_ros.simulation.recording import record
from bea_ros.simulation.world import World
from bea_ros.system.resources import resource_path


def offered(said: str) -> list[list[str]]:
    """The commands that are offered in a text, as a shell reads them; without `bea`."""
    lines = [line.strip() for line in said.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("bea ")]


def test_what_is_filmed_calibrates_and_localizes_as_the_film_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film = tmp_path / "my film"
    camera = film / "camera.yaml"
    assert main(["film", "--duration", "5", "--output", str(film)]) == 0
    calibrate, check, localize = offered(capsys.readouterr().out)

    assert main(calibrate) == 0
    focal = read_camera_info(camera).matrix[[0, 1], [0, 1]]
    assert focal == pytest.approx(default_intrinsics().matrix[[0, 1], [0, 1]], rel=0.005)

    assert main(check) == 0
    assert "corners: 4 of 4 seen" in capsys.readouterr().out

    assert main([*localize, "--no-video", "--duration", "4"]) == 0
    t, x, y = np.genfromtxt(film / "truth.csv", delimiter=",", skip_header=1).T[:3]
    seen = np.genfromtxt(film / "localized" / "trajectory.csv", delimiter=",", skip_header=1)
    assert len(seen) > 20
    error = np.hypot(
        seen[:, 1] - np.interp(seen[:, 0], t, x), seen[:, 2] - np.interp(seen[:, 0], t, y)
    )
    assert error.mean() < 0.004  # m

    capsys.readouterr()
    assert main([*localize, "--no-video", "--duration", "50"]) == 1
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("no fitness: ")
    assert said.endswith("; the images end at 5.0 s")


def test_a_run_from_another_machine_walks_in_the_arena_that_is_given(
    make_run: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there, here = tmp_path / "there.yaml", tmp_path / "here.yaml"
    there.write_text(resource_path("config/arena.yaml").read_text())
    run = make_run(arena=str(there))
    there.rename(here)
    words = ["film", str(run), "--duration", "1", "--output", str(tmp_path / "film")]
    assert main(words) == 2
    assert "there.yaml cannot be read: No such file" in capsys.readouterr().err
    (tmp_path / "film").mkdir()
    (tmp_path / "film" / "truth.csv").symlink_to(there)
    assert main([*words, "--arena", str(here)]) == 0
    assert not there.exists()  # no file is written through a link
    for command in offered(capsys.readouterr().out)[1:]:
        assert command[command.index("--arena") + 1] == str(here)


def test_a_walk_is_by_the_runs_motors_and_broken_joints_in_its_arena(
    make_run: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    narrow, film = tmp_path / "narrow.yaml", tmp_path / "film"
    usual = resource_path("config/arena.yaml").read_text()
    narrow.write_text(usual.replace("1.85", "1.45").replace("width: 4.0", "width: 3.2"))
    run = make_run(motor="revolve", damage="leg_00=limp", arena=str(narrow))
    capsys.readouterr()
    assert main(["film", str(run), "--duration", "2", "--output", str(film)]) == 0
    for command in offered(capsys.readouterr().out)[1:]:
        assert command[command.index("--arena") + 1] == str(narrow)
        assert command[command.index("--robot") + 1] == "gecko7"
    filmed = np.genfromtxt(film / "truth.csv", delimiter=",", skip_header=1)[-1, 1:3]
    learned = read_learned(run)
    robot = learned.robot()

    def end(motor: str, damages: Mapping[str, Damage]) -> NDArray[np.float64]:
        """Where it walks to (m) with this motor and these broken joints."""
        world = World(robot, None, motor, damages)
        return record(world, learned.network(robot), 2.0).base[-1, :2, 3]

    damages = learned.damages(robot)
    assert filmed == pytest.approx(end(learned.motor, damages), abs=1e-5)
    for other in (end("servo", damages), end(learned.motor, {})):
        assert np.hypot(*(filmed - other)) > 0.002

    arena = load_arena(robot, narrow)
    tracker = Tracker.of(robot, arena, default_intrinsics())
    assert tracker.update(read_picture(film / "arena.png", colour=False), 0.0), tracker.reason


def test_a_film_that_cannot_be_made_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, words in (
        (["--duration", "nan"], "--duration is nan: allowed are 1 to 600 s"),
        (["--robot", "spider10"], "spider10"),
    ):
        assert main(["film", *arguments, "--output", str(tmp_path / "film")]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert words in line
        assert not (tmp_path / "film").exists()
