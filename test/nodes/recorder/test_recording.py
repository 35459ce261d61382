# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded run gives every fitness again, and a recording that lacks something says what."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bag_copy import copy, same
from graph import SHORT, bea
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import StoragePlugin

from bea_ros.__main__ import main
from bea_ros.bags.reading import BagError
from bea_ros.bags.recomputing import Recording, read_recording
from bea_ros.bags.topics import COMPRESSED, PARAMETER_EVENTS, POSE, TOPICS
from bea_ros.report.recording import differences, verdict
from bea_ros.runs.folder.head import read_request
from bea_ros.runs.folder.measurements import REPETITION, evaluations_of
from bea_ros.runs.folder.run_folder import RunFolder, read_evaluations
from bea_ros.system.nanoseconds import SECOND
from bea_ros.tasks import Trajectory

pytestmark = pytest.mark.graph
EVALUATIONS = 8


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that turned, and was recorded with its images."""
    folder = tmp_path_factory.mktemp("recorded") / "run"
    done = bea(
        "learn", "--task", "rotating", "--duration", 2, "--evaluations", EVALUATIONS,
        "--output", folder, "--record-images", *SHORT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def logged(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "evaluations.jsonl").open()]


def test_a_recording_holds_the_topics_and_gives_the_log_again(run: Path) -> None:
    with AnyReader([run / "bag_1"]) as reader:
        counts = {c.topic: c.msgcount for c in reader.connections}
    wanted = {f"/{topic}" for topic in (*TOPICS, COMPRESSED)} | {PARAMETER_EVENTS}
    assert counts.keys() == wanted
    assert all(counts.values())
    recording = read_recording(run / "bag_1")
    assert (recording.robot, recording.task.name, recording.duration) == ("spider9", "rotating", 2)
    records = logged(run)
    assert [one.logged for one in recording.comparisons] == [r["fitness"] for r in records]
    assert all(one.equal for one in recording.comparisons)
    names = ("evaluation", "stage", "parameters", "fitness", "terms")
    for evaluation, record in zip(recording.evaluations, records, strict=True):
        assert [evaluation[name] for name in names] == [record[name] for name in names]


def test_the_report_of_a_bag_shows_the_run(run: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["report", str(run / "bag_1")]) == 0
    assert f"{EVALUATIONS} give the learner's fitness to the last digit" in capsys.readouterr().out
    page = (run / "bag_1.html").read_text()
    for place in ("fitness", "gain", "overhead", "paths"):
        assert f"<div id={place}" in page
    assert page.count('">0</td>') >= EVALUATIONS


def test_sqlite_is_read_as_well_and_a_folder_says_what_parameters_do_not(
    run: Path, tmp_path: Path
) -> None:
    shutil.copy(run / "run.yaml", tmp_path)

    def without_parameters(topic: str, message: Any) -> Any:
        return None if topic == PARAMETER_EVENTS else message

    bag = copy(run, tmp_path / "bag", without_parameters, storage=StoragePlugin.SQLITE3)
    recording = read_recording(bag)
    assert all(one.equal for one in recording.comparisons)
    words = "no parameters of camera_localization: defaults are used"
    assert words in verdict(recording)
    assert words not in verdict(read_recording(run / "bag_1"))


def test_a_recording_of_compressed_files_is_read_as_well(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    bag = copy(run, tmp_path / "bag", same, compressed=True)
    assert [file.suffix for file in bag.glob("bag*")] == [".zstd"]
    assert main(["report", str(bag)]) == 0
    assert f"{EVALUATIONS} give the learner's fitness to the last digit" in capsys.readouterr().out
    (bag / "metadata.yaml").unlink()
    assert main(["report", str(bag)]) != 0
    assert "has no metadata.yaml, which tells how its files" in capsys.readouterr().err


def test_the_arena_is_the_folders_copy_as_its_file_may_be_on_another_computer(
    run: Path, tmp_path: Path
) -> None:
    shutil.copy(run / "run.yaml", tmp_path)

    def elsewhere(topic: str, message: Any) -> Any:
        for parameter in message.new_parameters if topic == PARAMETER_EVENTS else ():
            if parameter.name == "arena":
                parameter.value.string_value = "/home/pi/arena.yaml"
        return message

    recording = read_recording(copy(run, tmp_path / "bag_1", elsewhere))
    assert all(one.equal for one in recording.comparisons)
    with pytest.raises(ValueError, match=r"/home/pi/arena\.yaml cannot be read"):
        read_recording((tmp_path / "bag_1").rename(tmp_path.with_name("alone")))


def test_what_differs_or_is_missing_is_said(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    windows = starts(run)

    def damaged(topic: str, message: Any) -> Any:
        if topic != f"/{POSE}":
            return message
        stamp = message.header.stamp.sec + message.header.stamp.nanosec / 1e9
        if windows[3] < stamp < windows[3] + 2:  # not seen
            return None
        if windows[5] + 0.9 < stamp < windows[5] + 1.1:  # seen elsewhere
            message.pose.pose.position.x += 0.01
        if windows[7] + 0.7 < stamp < windows[7] + 1.3:  # published by two programs
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(
                round((windows[7] + 1) * SECOND), SECOND
            )
        return message

    bag = copy(run, tmp_path / "bag", damaged)
    assert main(["report", str(bag)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == verdict(read_recording(bag))
    assert "1 another one, 2 cannot be computed again" in said[0]
    assert "evaluation 3" in said[1]
    assert "not seen" in said[1]
    assert said[2].startswith("evaluation 5: the learner's ")
    assert said[3].startswith("evaluation 7: ")
    assert said[3].endswith("times must increase")
    assert len(differences(read_recording(bag))) == 3


def starts(run: Path) -> dict[int, float]:
    """When the candidate of each evaluation took over the joints, the last time, s."""
    found = {}
    with AnyReader([run / "bag_1"]) as reader:
        active = [c for c in reader.connections if c.topic == "/active_parameters"]
        for connection, _, data in reader.messages(active):
            message = reader.deserialize(data, connection.msgtype)
            if message.evaluation:
                stamp = message.header.stamp
                found[message.evaluation] = stamp.sec + stamp.nanosec / 1e9
    return found


def test_what_was_given_up_is_no_difference(run: Path, tmp_path: Path) -> None:
    """One that fell each time, and one that the operator skipped while it walked."""
    fallen, skipped = 4, 7
    windows = starts(run)
    fitness = {line["evaluation"]: line["fitness"] for line in logged(run)}

    for number in (fallen, skipped):
        fitness[number] = min([0.0, *(fitness[n] for n in range(1, number))])

    def given_up(topic: str, message: Any) -> Any:
        if topic == "/learner/status" and message.evaluation in (fallen, skipped):
            message.fitness = fitness[message.evaluation]
        if topic != f"/{POSE}":
            return message
        stamp = message.header.stamp.sec + message.header.stamp.nanosec / 1e9
        return None if windows[fallen] < stamp < windows[fallen] + 2 else message

    recording = read_recording(copy(run, tmp_path / "bag", given_up))
    assert all(one.equal for one in recording.comparisons)
    numbers = [r["evaluation"] for r in recording.evaluations if r.get("given_up")]
    assert numbers == [fallen, skipped]
    assert len(recording.evaluations) == EVALUATIONS


def test_what_was_measured_before_the_recording_is_in_the_log(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was gone on with in the middle of a repetition, and then gave a candidate up."""
    repeated, fallen, worst, before = 5, 7, -2.0, 0.5
    windows, known = starts(run), read_evaluations(run)
    mean = (before + known[repeated - 1]["fitness"]) / 2
    folder = RunFolder(tmp_path / "run", read_request(run), {})
    lines = [{**known[n - 1]} for n in range(1, repeated)]
    lines[1]["fitness"] = worst
    lines += [
        {**known[repeated - 1], "fitness": before},
        {**known[repeated - 1], "kind": REPETITION},
    ]
    for line in lines:
        folder.append(line, Trajectory.standing(2.0))
    folder.close()

    def gone_on_with(topic: str, message: Any) -> Any:
        if topic == PARAMETER_EVENTS:
            return message
        stamp = message.header.stamp.sec + message.header.stamp.nanosec / 1e9
        if topic == "/learner/status" and message.evaluation == repeated:
            message.fitness = mean
        if topic == "/learner/status" and message.evaluation == fallen:
            message.fitness = worst
        seen = not (topic == f"/{POSE}" and windows[fallen] < stamp < windows[fallen] + 2)
        return message if seen and stamp > windows[repeated] - 1 else None

    monkeypatch.chdir(copy(run, tmp_path / "run" / "bag_2", gone_on_with))
    recording = read_recording(Path("."))
    assert recording.path.name == "bag_2"
    numbers = list(range(repeated, EVALUATIONS + 1))
    assert [one.evaluation for one in recording.comparisons] == numbers
    assert all(one.equal for one in recording.comparisons)
    assert [record["evaluation"] for record in recording.evaluations] == numbers
    given_up = [r["evaluation"] for r in recording.evaluations if r.get("given_up")]
    assert given_up == [fallen]


def test_of_two_robots_one_is_chosen(run: Path, tmp_path: Path) -> None:
    shutil.copy(run / "run.yaml", tmp_path)
    bag = copy(run, tmp_path / "bag", same, prefixes=("/one", "/two"))
    with pytest.raises(BagError, match="the robots /one, /two: choose one with --namespace"):
        read_recording(bag)
    chosen: Recording = read_recording(bag, "two")
    alone = read_recording(run / "bag_1")
    assert chosen.evaluations == alone.evaluations
    assert chosen.comparisons == alone.comparisons


def test_a_recording_cut_off_anywhere_gives_what_is_whole_or_is_refused(
    run: Path, tmp_path: Path
) -> None:
    (file,) = (run / "bag_1").glob("*.mcap")
    content = file.read_bytes()
    fitness = {r["evaluation"]: r["fitness"] for r in logged(run)}
    chance = np.random.default_rng(1)
    found = []
    for size in [0, 5, len(content) - 1, *chance.integers(0, len(content), 12)]:
        cut = tmp_path / file.name
        cut.write_bytes(content[:size])
        try:
            recording = read_recording(cut)
        except BagError:
            continue
        assert recording.cut_off
        assert all(one.equal for one in recording.comparisons)
        assert all(fitness[one.evaluation] == one.computed for one in recording.comparisons)
        found.append(len(recording.comparisons))
    assert max(found) == EVALUATIONS
    assert len(set(found)) > 2


def test_of_a_recording_cut_off_the_last_word_may_be_there_and_the_last_poses_not(
    run: Path, tmp_path: Path
) -> None:
    end = max(starts(run).values()) + 1.0

    def late_poses_lost(topic: str, message: Any) -> Any:
        stamp = message.header.stamp if topic == f"/{POSE}" else None
        lost = stamp is not None and stamp.sec + stamp.nanosec / 1e9 > end
        return None if lost else message

    (file,) = copy(run, tmp_path / "bag", late_poses_lost).glob("*.mcap")
    assert len(differences(read_recording(file.parent))) == 1
    file.write_bytes(file.read_bytes()[:-1])
    for path in (file, file.parent):  # of which a copy may have ended early
        recording = read_recording(path)
        assert len(recording.comparisons) == EVALUATIONS - 1
        assert all(one.equal for one in recording.comparisons)


def test_repeated_measurements_give_their_mean(tmp_path: Path) -> None:
    options = [*SHORT, "--task", "gait", "--duration", 1, "--evaluations", 3, "--confirm", 2]
    done = bea("learn", *options, "--output", tmp_path / "run", "--record")
    assert done.returncode == 0, done.stderr
    recording = read_recording(tmp_path / "run" / "bag_1")
    lines = [json.loads(line) for line in (tmp_path / "run" / "evaluations.jsonl").open()]
    assert len(recording.comparisons) == len(lines) > 3
    assert all(one.equal for one in recording.comparisons)
    log = evaluations_of(lines)
    assert [r["fitness"] for r in recording.evaluations] == [r["fitness"] for r in log]
    assert [r.get("measurements") for r in recording.evaluations] == [
        r.get("measurements") for r in log
    ]
    took = [[r["time"]["evaluation"] for r in those] for those in (recording.evaluations, log)]
    assert took[0] == pytest.approx(took[1], abs=1e-3)
