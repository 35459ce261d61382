# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The run folder: what is appended stays, what is torn goes, and nobody else writes."""

import contextlib
import json
import threading

import numpy as np
import pytest
from example_run import record, trajectory, write_run

from bea_ros.report.trials import Trial, load_trials, save_trials
from bea_ros.runs.folder.best import read_best
from bea_ros.runs.folder.head import RunFolderError, read_request
from bea_ros.runs.folder.run_folder import (
    LOG,
    TRAJECTORIES,
    RunFolder,
    read_evaluations,
    read_motions,
    read_trajectories,
)
from bea_ros.tasks import Trajectory

REQUEST = {"robot": "spider9", "task": "gait", "seed": 1}


def filled(path, count=3):
    return write_run(path, REQUEST, *map(record, range(1, count + 1)))


def test_what_is_appended_is_read_again(tmp_path):
    folder = filled(tmp_path / "deep" / "run")
    assert read_request(folder) == REQUEST
    assert read_evaluations(folder) == [record(n) for n in (1, 2, 3)]
    x = read_trajectories(folder)[2].x
    np.testing.assert_allclose(x, np.linspace(0, 0.04, 4), atol=1e-5)
    again = RunFolder(folder, REQUEST, {})
    assert [r["evaluation"] for r in again.evaluations] == [1, 2, 3]


def test_an_image_microseconds_from_the_start_or_the_end_is_no_damage(tmp_path):
    t = [0.0, 4e-6, 1.0, 29.999997, 30.0]  # s
    close = Trajectory(t, [0.0, 0.0, 1.0, 2.0, 2.0], np.zeros(5), np.zeros(5))
    folder = RunFolder(tmp_path / "run", REQUEST, {})
    folder.append({**record(1), "fitness": 2 / 30, "terms": {}}, close)
    folder.close()
    assert read_trajectories(tmp_path / "run")[1].t.tolist() == [0.0, 1.0, 30.0]
    RunFolder(tmp_path / "run", REQUEST, {}).close()
    save_trials(tmp_path, [Trial(tmp_path / "run", 1, 0.05, close)])
    (trial,) = load_trials(tmp_path)
    assert trial.trajectory is not None
    assert trial.trajectory.x.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("name", [LOG, TRAJECTORIES])
def test_a_log_torn_anywhere_in_its_last_record_loses_that_record_alone(tmp_path, name):
    whole = (filled(tmp_path) / name).read_bytes()
    log = (tmp_path / LOG).read_bytes()
    last = whole.rstrip(b"\n").rindex(b"\n") + 1
    for size in range(last, len(whole) - 1):  # without its end alone it is whole
        (tmp_path / LOG).write_bytes(log)
        (tmp_path / name).write_bytes(whole[:size])
        folder = RunFolder(tmp_path, REQUEST, {})
        assert [r["evaluation"] for r in folder.evaluations] == (
            [1, 2] if name == LOG else [1, 2, 3]
        )
        number = len(folder.evaluations) + 1
        folder.append(record(number), trajectory(number))
        folder.close()
        assert [r["evaluation"] for r in read_evaluations(tmp_path)] == list(range(1, number + 1))


def test_a_trajectory_whose_evaluation_was_never_logged_is_dropped(tmp_path):
    filled(tmp_path, 3)
    log = tmp_path / LOG
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:2]))
    folder = RunFolder(tmp_path, REQUEST, {})
    folder.append(record(3), trajectory(30))
    assert read_trajectories(tmp_path)[3].x[-1] == pytest.approx(0.6)


def test_damage_before_the_end_is_refused_and_left_alone(tmp_path):
    log = filled(tmp_path) / LOG
    damaged = log.read_text().replace('{"evaluation": 2', '{"evaluation": #', 1)
    log.write_text(damaged)
    with pytest.raises(RunFolderError, match=r"evaluations\.jsonl: line 2 is damaged"):
        RunFolder(tmp_path, REQUEST, {})
    assert log.read_text() == damaged


def test_one_writer_at_a_time(tmp_path):
    first = RunFolder(tmp_path, REQUEST, {})
    with pytest.raises(RunFolderError, match="in use by another learner"):
        RunFolder(tmp_path, REQUEST, {})
    first.close()
    RunFolder(tmp_path, REQUEST, {}).close()


def test_another_run_is_refused_with_what_differs(tmp_path):
    filled(tmp_path)
    for more, said in (
        ({"seed": 2}, "a run with seed 1, not 2"),
        ({"seed": None}, "a run with seed 1, not without it"),
        ({"prior": "default"}, "a run without prior, not with 'default'"),
        ({"images": False}, "a run with images True, not False"),
    ):
        with pytest.raises(RunFolderError, match=said):
            RunFolder(tmp_path, {**REQUEST, **more}, {})


def test_of_many_options_the_one_that_differs_is_named(tmp_path):
    options = {"alpha": 1.03, "gamma": 0.1}
    write_run(tmp_path, {**REQUEST, "options": options}, record(1))
    with pytest.raises(RunFolderError, match=r"with option gamma 0\.1, not 0\.2: choose"):
        RunFolder(tmp_path, {**REQUEST, "options": {**options, "gamma": 0.2}}, {})


def test_the_file_of_a_robot_is_the_same_by_any_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = {**REQUEST, "robot": "my/ant.urdf.xacro"}
    write_run(tmp_path / "run", own, record(1))
    absolute = {**own, "robot": str(tmp_path / "my" / "ant.urdf.xacro")}
    RunFolder(tmp_path / "run", absolute, {}).close()
    monkeypatch.chdir(tmp_path.parent)
    with pytest.raises(RunFolderError, match="is a run with robot"):
        RunFolder(tmp_path / "run", absolute, {})


def test_a_run_that_never_began_leaves_no_description(tmp_path):
    RunFolder(tmp_path, REQUEST, {}).close()
    assert read_request(tmp_path) is None


def test_nan_is_never_written(tmp_path):
    folder = RunFolder(tmp_path, REQUEST, {})
    with pytest.raises(ValueError, match="JSON"):
        folder.append({**record(1), "fitness": float("nan")}, trajectory(1))
    assert read_evaluations(tmp_path) == []
    assert read_trajectories(tmp_path) == {}


def test_best_is_replaced_whole_and_readable_as_a_message(tmp_path):
    folder = RunFolder(tmp_path, REQUEST, {})
    message = {"evaluation": 7, "attempt": 1, "robot": "spider9", "names": ["a"], "values": [0.1]}
    folder.write_best({**message, "evaluation": 3}, "first")
    folder.write_best(message, "gait: 0.1 m/s")
    assert read_best(tmp_path) == message
    assert not list(tmp_path.glob("*.new"))
    with pytest.raises(RunFolderError, match=r"no best\.yaml"):
        read_best(tmp_path / "elsewhere")


def test_descriptions_of_other_formats_are_refused(tmp_path):
    for text, words in (
        ("format: 99\nrequest: {}\n", "reads 1 and 2: use the bea_ros that wrote it"),
        ("format: 2\nrequest: {}\n", "has no checksum"),
        ("format: 1\nrequest: {confirm: a}\n", "its confirm must be a whole number"),
        ("format: 1\nrequest: {before: []}\n", r"its before must be a number, not \[\]"),
        ("format: 1\nrequest: {duration: .nan}\n", "its duration must be a number, not nan"),
        ("format: 1\nrequest: {start: 5}\n", "its start must be a list"),
        ("format: 1\nrequest: {options: [a]}\n", "its options must be a mapping"),
        ("- 1\n", "not the description of a run"),
        ("{", "cannot be read"),
    ):
        (tmp_path / "run.yaml").write_text(text)
        with pytest.raises(RunFolderError, match=words):
            read_request(tmp_path)


def test_lines_are_whole_json_objects(tmp_path):
    for line in (filled(tmp_path) / LOG).read_text().splitlines():
        assert json.loads(line)["evaluation"] >= 1


def test_a_crash_between_trajectory_and_log_of_a_repetition_drops_that_trajectory(tmp_path):
    folder = RunFolder(filled(tmp_path, 2), REQUEST, {})
    folder.append({**record(2), "kind": "repetition"}, trajectory(5))
    folder.close()
    log = tmp_path / LOG
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:2]))
    RunFolder(tmp_path, REQUEST, {}).close()
    assert read_trajectories(tmp_path)[2].x[-1] == pytest.approx(0.04)


def test_a_lost_trajectory_leaves_the_others_with_their_evaluations(tmp_path):
    filled(tmp_path, 2)
    paths = tmp_path / TRAJECTORIES
    paths.write_bytes(paths.read_bytes()[:-30])
    folder = RunFolder(tmp_path, REQUEST, {})
    for number in (3, 4):
        folder.append(record(number), trajectory(number))
    folder.append({**record(4), "kind": "repetition"}, trajectory(9))
    folder.close()
    motions = read_motions(tmp_path)
    assert {number: path.x[-1] for number, path in motions.items()} == pytest.approx(
        {1: 0.02, 3: 0.06, 4: 0.08}
    )


def test_a_folder_that_is_moved_away_while_it_is_written_does_not_come_back(tmp_path):
    for attempt in range(100):
        path, away = tmp_path / "run", tmp_path / f"away-{attempt}"
        run = RunFolder(path, REQUEST, {})
        mover = threading.Timer(0.002 + 0.00005 * attempt, path.rename, (away,))
        mover.start()
        with contextlib.suppress(RunFolderError):
            while mover.is_alive():
                run.write_best({"names": ["a"], "values": [1.0]}, "")
        mover.join()
        run.close()
        assert not path.exists()
