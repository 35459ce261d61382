# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run is resumed with the files it was begun with, or it is said what is another one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from example_run import record, trajectory, write_run

from bea_ros.__main__ import main
from bea_ros.robots import load_robot
from bea_ros.runs.folder.head import RunFolderError, read_head
from bea_ros.runs.folder.inputs import FILES, changed_since, differences, inputs_of
from bea_ros.runs.folder.run_folder import RunFolder

REQUEST = {"robot": "spider9", "task": "gait", "seed": 1}
CONFIG = "simulator: {ros__parameters: {seed: 5, delay: {mean: 0.1}}}"
ROBOT = load_robot("spider9")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """A file for each argument that names one; the robot is none of them."""
    found = {name: tmp_path / f"{name}.yaml" for name in FILES if name != "robot"}
    for path in found.values():
        path.write_text(CONFIG)
    return {name: str(path) for name, path in found.items()}


def opened(run: Path, files: dict[str, str], accepted: tuple[str, ...] = ()) -> RunFolder:
    named = {name: path for name, path in files.items() if name != "arena"}
    return RunFolder(run, REQUEST, {"numpy": "1"}, named, inputs_of(ROBOT, files), accepted)


def measured(folder: RunFolder) -> Path:
    """The run's folder, closed after one more evaluation."""
    number = len(folder.evaluations) + 1
    folder.append(record(number), trajectory(number))
    folder.close()
    return folder.path


def begun(run: Path, files: dict[str, str]) -> Path:
    return measured(opened(run, files))


def test_a_file_that_a_parameter_file_names_is_compared(
    tmp_path: Path, files: dict[str, str]
) -> None:
    lens = tmp_path / "lens.yaml"
    lens.write_text("focal_length: 500")
    named = f"camera_localization: {{ros__parameters: {{camera_info_file: {lens}}}}}"
    Path(files["config"]).write_text(named)
    run = begun(tmp_path / "run", files)
    opened(run, files).close()
    lens.write_text("focal_length: 510")
    with pytest.raises(RunFolderError, match=r"config: files\..*/lens\.yaml is another one"):
        opened(run, files)
    measured(opened(run, files, ("config",)))
    assert "lens.yaml is another one" in read_head(run)["changes"][0]["what"][0]


@pytest.mark.parametrize("name", [name for name in FILES if name != "robot"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CONFIG.replace("5", "6"), "simulator.seed was 5, is 6"),
        (CONFIG.replace("0.1", "0.2"), "simulator.delay.mean was 0.1, is 0.2"),
        (CONFIG.replace("seed: 5, ", ""), "simulator.seed was 5, is not there"),
        (CONFIG.replace("5", "'5'"), "simulator.seed was 5, is '5'"),
        ("[1]", "it was not there, is [1]"),
        (f"x: {'a' * 20_000}", "it is another one"),
    ],
)
def test_an_edited_file_is_refused_by_what_is_another_until_it_is_said(
    tmp_path: Path, files: dict[str, str], name: str, text: str, words: str
) -> None:
    run = begun(tmp_path / "run", files)
    Path(files[name]).write_text(text)
    before = (run / "run.yaml").read_bytes()
    with pytest.raises(RunFolderError, match="was begun with other files") as refused:
        opened(run, files)
    assert f"{name}: " in str(refused.value)
    assert words in str(refused.value)
    assert f"--{name.replace('_', '-')}" in str(refused.value)
    assert (run / "run.yaml").read_bytes() == before
    again = opened(run, files, (name,))
    assert words in again.changes[0]
    measured(again)
    opened(run, files).close()  # as it is now
    assert (read_head(run) or {})["changes"][0]["evaluation"] == 2
    Path(files[name]).write_text(CONFIG)
    with pytest.raises(RunFolderError, match="was begun with other files"):
        opened(run, files)


def test_other_words_for_the_same_and_another_place_are_no_difference(
    tmp_path: Path, files: dict[str, str]
) -> None:
    run = begun(tmp_path / "run", files)
    for name, path in files.items():
        other = Path(path).rename(tmp_path / f"moved-{name}")
        other.write_text("# moved\nsimulator:\n  ros__parameters: {delay: {mean: .1}, seed: 5}\n")
        files[name] = str(other)
    assert opened(run, files).changes == []


def test_a_file_more_or_less_is_a_difference(tmp_path: Path, files: dict[str, str]) -> None:
    few = {"arena": files["arena"]}
    with pytest.raises(RunFolderError, match=r"config: simulator\.seed was not there, is 5"):
        opened(begun(tmp_path / "one", few), files)
    with pytest.raises(RunFolderError, match=r"config: simulator\.seed was 5, is not there"):
        opened(begun(tmp_path / "other", files), few)


def test_another_robot_by_the_same_name_is_a_difference(own_robot: str, tmp_path: Path) -> None:
    before = inputs_of(load_robot(own_robot), {})
    Path(own_robot).write_text(f"{Path(own_robot).read_text()}\n<!-- nothing -->\n")
    assert differences(before, inputs_of(load_robot(own_robot), {})) == {}
    Path(own_robot).with_name("ant.yaml").write_text("marker_id: 61")
    assert (
        "marker_id was 60, is 61"
        in differences(before, inputs_of(load_robot(own_robot), {}))["robot"]
    )
    text = Path(own_robot).read_text()
    Path(own_robot).write_text(text.replace('name="leg_10"', 'name="leg_20"'))
    assert (
        "it is another one" in differences(before, inputs_of(load_robot(own_robot), {}))["robot"]
    )


def test_other_software_is_told_and_not_refused(tmp_path: Path, files: dict[str, str]) -> None:
    run = begun(tmp_path / "run", files)
    inputs: Any = inputs_of(ROBOT, files)
    again = RunFolder(run, REQUEST, {"numpy": "2"}, {}, inputs)
    assert again.changes == ["software: numpy was '1', is '2'"]


def test_a_run_from_before_is_resumed_and_held_to_its_files_from_then_on(
    tmp_path: Path, files: dict[str, str]
) -> None:
    config = {"config": files["config"]}
    measured(RunFolder(tmp_path / "run", REQUEST, {"numpy": "1"}, config))
    again = opened(tmp_path / "run", files)
    assert again.changes == []
    measured(again)
    Path(files["config"]).write_text(CONFIG.replace("5", "6"))
    with pytest.raises(RunFolderError, match=r"simulator\.seed was 5, is 6"):
        opened(tmp_path / "run", files)


def test_doctor_and_who_tries_the_gait_again_say_so(
    tmp_path: Path, files: dict[str, str], capsys: pytest.CaptureFixture
) -> None:
    run = begun(tmp_path / "run", files)
    Path(files["config"]).write_text(CONFIG.replace("5", "6"))
    assert changed_since(run, ROBOT, files) == ["config: simulator.seed was 5, is 6"]
    measured(opened(run, files, ("config",)))
    write_run(run, REQUEST, best=2)
    assert main(["doctor", str(run)]) == 0
    said = capsys.readouterr().out
    assert "from evaluation 2 on, config: simulator.seed was 5, is 6" in said
