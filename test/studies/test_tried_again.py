# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Best controllers tried again: which graph `bea replay` and `bea validate` start."""

import re
from pathlib import Path

import pytest
import yaml

from bea_ros.__main__ import main
from bea_ros.bringup.arguments import ROBOT_ARGUMENTS, VALIDATE_ARGUMENTS
from bea_ros.bringup.graphs import validate_graph
from bea_ros.commands import graphs
from bea_ros.localization.camera_info import write_camera_info
from bea_ros.report.trials import Trial, save_trials
from bea_ros.report.validation import write_report
from bea_ros.runs.learned import by_platform, read_learned
from bea_ros.simulation.camera.overhead import default_intrinsics
from bea_ros.system.resources import resource_path


@pytest.fixture
def lab(tmp_path):
    path = tmp_path / "lab.yaml"
    path.write_bytes(resource_path("config/arena.yaml").read_bytes())
    return str(path)


@pytest.fixture
def started(monkeypatch):
    """The parameters of the nodes of each graph that a command would start."""
    found = []

    def run_graph(nodes, **_):
        found.append({node.executable: node.parameters for node in nodes})
        return 0

    monkeypatch.setattr(graphs, "run_graph", run_graph)
    monkeypatch.setattr(graphs, "check_files", lambda arguments: None)
    monkeypatch.setattr("bea_ros.report.validation.print_table", lambda folder: None)
    return found


def arenas_in(started):
    return [nodes["camera_localization"]["arena"] for nodes in started]


def test_they_are_tried_in_the_arena_they_were_learned_in(make_run, started, lab, tmp_path):
    one, other = make_run(seed=1, arena=lab), make_run(seed=2)
    again = ["--output", str(tmp_path / "again")]
    assert main(["replay", str(one)]) == 0
    assert main(["replay", str(one), "--arena", "mine.yaml"]) == 0
    assert main(["validate", str(one), str(other), *again]) == 0
    assert main(["validate", str(one), *again, "--arena", "mine.yaml"]) == 0
    assert arenas_in(started) == [lab, "mine.yaml", lab, "", "mine.yaml"]
    assert len(by_platform([read_learned(one), read_learned(other)])) == 2


@pytest.mark.parametrize(("said", "arena"), [("", "lab.yaml"), ("mine.yaml", "mine.yaml")])
def test_launch_tries_them_in_that_arena_unless_told_another(make_run, lab, said, arena):
    arguments = {a.name: a.default for a in (*ROBOT_ARGUMENTS, *VALIDATE_ARGUMENTS)}
    arguments |= {"robot": "", "arena": said, "runs": [str(make_run(arena=lab))]}
    for node in validate_graph(arguments):
        assert node.parameters.get("robot", "gecko7") == "gecko7"
        if node.executable in ("camera_localization", "simulator"):
            assert Path(node.parameters["arena"]).name == arena


def test_a_replay_of_a_run_that_names_no_duration_takes_the_tasks(make_run, started):
    run = make_run()
    learned = read_learned(run)
    request = {name: value for name, value in learned.request.items() if name != "duration"}
    (run / "run.yaml").write_text(yaml.safe_dump({"format": 1, "request": request}))
    assert main(["replay", str(run)]) == 0
    assert read_learned(run).duration == learned.task.duration
    durations = {p["duration"] for nodes in started for p in nodes.values() if "duration" in p}
    assert durations == {learned.task.duration}


@pytest.mark.parametrize("command", ["replay", "validate", "watch"])
def test_a_duration_that_is_no_number_is_refused(command, make_run, started, capsys):
    run = make_run()
    request = {**read_learned(run).request, "duration": [30]}
    (run / "run.yaml").write_text(yaml.safe_dump({"format": 1, "request": request}))
    assert main([command, str(run)]) == 2
    said = capsys.readouterr().err
    wrong = "run.yaml is damaged: its duration must be a number, not [30]"
    assert said == f"bea {command}: {run}/{wrong}\n"
    assert not started


def test_a_broken_robot_is_as_broken_again(make_run, started, capsys, tmp_path):
    run, whole = make_run(seed=1, damage="leg_00=limp,body_0=stuck:0.5"), make_run(seed=2)
    again = ["--output", str(tmp_path / "again")]
    assert main(["replay", str(run)]) == 0
    assert main(["replay", str(run), "--damage", "leg_01=limp"]) == 0
    assert main(["validate", str(run), str(whole), *again]) == 0
    assert main(["validate", str(run), str(whole), *again, "--damage", "leg_01=limp"]) == 0
    broken = {"damage.leg_00": "limp", "damage.body_0": "stuck:0.5"}
    other = {"damage.leg_01": "limp"}
    found = [
        {name: word for name, word in nodes["simulator"].items() if name.startswith("damage")}
        for nodes in started
    ]
    assert found == [broken, other, broken, {}, other, other]
    assert main(["replay", str(run), "--robot-backend", "hardware"]) == 0
    said = capsys.readouterr().out
    assert "was learned with --damage leg_00=limp,body_0=stuck:0.5, but damage is for " in said
    arguments = {a.name: a.default for a in (*ROBOT_ARGUMENTS, *VALIDATE_ARGUMENTS)}
    nodes = validate_graph(arguments | {"robot": "", "runs": [str(run)]})
    (simulator,) = (node.parameters for node in nodes if node.executable == "simulator")
    assert broken.items() <= simulator.items()


def test_a_comma_in_a_folders_name_is_no_second_run(make_run, started, tmp_path):
    run = make_run().rename(tmp_path / "left, right")
    assert main(["replay", str(run)]) == 0
    assert main(["validate", str(run), "--output", str(tmp_path / "again")]) == 0
    assert [nodes["validator"]["runs"] for nodes in started] == [[str(run)]] * 2


def test_what_a_run_was_learned_with_is_there_again(make_run, started, capsys, tmp_path):
    calibration, config = str(tmp_path / "camera.yaml"), tmp_path / "nodes.yaml"
    write_camera_info(Path(calibration), "overhead", default_intrinsics())
    config.write_text(
        "learner: {ros__parameters: {settle: 2.0}}\n"
        "camera_localization: {ros__parameters: {dropout: 0.5}}\n"
    )
    real = {"camera": "usb_cam", "camera_info": calibration, "servos": "servos.yaml"}
    run = make_run(robot_backend="hardware", config=str(config), **real)
    other = make_run(seed=2, robot_backend="hardware", **real)
    output, mine = ["--output", str(tmp_path / "again")], ["--servos", "mine.yaml"]
    hardware = ["--robot-backend", "hardware"]
    assert main(["replay", str(run)]) == 0
    assert main(["replay", str(run), *hardware]) == 0
    assert main(["validate", str(run), str(other), *hardware, *mine, *output]) == 0
    simulated, replayed, validated, alone = started
    assert "usb_cam_node_exe" not in simulated
    for nodes in (simulated, replayed, validated):
        assert nodes["camera_localization"]["dropout"] == 0.5
    assert "dropout" not in alone["camera_localization"], "it was learned without the file"
    for nodes, servos in ((replayed, "servos.yaml"), (validated, "mine.yaml")):
        assert "usb_cam_node_exe" in nodes
        assert nodes["camera_localization"]["camera_info_file"] == calibration
        assert nodes["servo_driver"]["servos"] == servos
    config.unlink()
    assert main(["replay", str(run)]) == 0
    assert "nodes.yaml, which is not there any more" in capsys.readouterr().out


def test_robots_with_other_servos_are_tried_one_after_the_other(make_run, started, tmp_path):
    runs = [make_run(seed=1)]  # in simulation, so that the defaults are its servos
    for seed, servos in ((2, "one.yaml"), (3, "other.yaml"), (4, "one.yaml")):
        runs.append(make_run(seed=seed, robot_backend="hardware", servos=servos))
    words = ["validate", *map(str, runs), "--output", str(tmp_path / "again")]
    assert main([*words, "--robot-backend", "hardware"]) == 0
    assert [nodes["servo_driver"]["servos"] for nodes in started] == ["", "one.yaml", "other.yaml"]
    assert [len(nodes["validator"]["runs"]) for nodes in started] == [1, 2, 1]
    assert [nodes["validator"]["append"] for nodes in started] == [False, True, True]


@pytest.mark.parametrize(
    ("codes", "tried", "code"),
    [([1, 0], 2, 1), ([0, 1], 2, 1), ([1, 1], 2, 1), ([130, 0], 1, 130), ([1, 2], 2, 2)],
)
def test_a_robot_without_a_valid_trial_keeps_no_other_from_its_own(
    make_run, started, monkeypatch, tmp_path, codes, tried, code
):
    def run_graph(nodes, **_):
        started.append(nodes)
        return codes[len(started) - 1]

    monkeypatch.setattr(graphs, "run_graph", run_graph)
    runs = [make_run("gecko7"), make_run("babyA")]
    assert main(["validate", *map(str, runs), "--output", str(tmp_path / "again")]) == code
    assert len(started) == tried


def test_a_run_is_measured_for_as_long_as_it_learned(make_run, started, tmp_path):
    run = make_run(duration=5.0)
    assert read_learned(run).duration == 5.0
    assert main(["validate", str(run), "--output", str(tmp_path / "again")]) == 0
    assert started[0]["validator"]["duration"] == 0.0, "the validator takes the run's own"
    for measured, compares in ((5.0, True), (30.0, False)):
        save_trials(tmp_path / "again", [Trial(run, 1, 0.03, None, measured)])
        page = write_report(tmp_path / "again").read_text()
        assert f'<td data-label="duration, s">{measured:g}</td>' in page
        assert ("cannot be compared with the mean" in page) is not compares


def test_what_other_physics_would_ignore_is_refused(make_run, capsys, tmp_path):
    words = ["--physics", "2", "--repetitions", "5", "--output", str(tmp_path / "out")]
    assert main(["validate", str(make_run()), *words]) == 2
    assert not (tmp_path / "out").exists()
    assert "--repetitions: with --physics each run is tried once" in capsys.readouterr().err


def test_a_table_of_other_physics_is_not_replaced(make_run, capsys, tmp_path):
    words = ["validate", str(make_run()), "--physics", "1", "--duration", "2"]
    assert main([*words, "--output", str(tmp_path)]) == 0
    table = tmp_path / "other_physics.csv"
    before = table.read_bytes()
    capsys.readouterr()
    assert main([*words, "--output", str(tmp_path), "--seed", "2"]) == 2
    assert capsys.readouterr().err == (
        f"bea validate: {table} is of an earlier validation: choose another --output\n"
    )
    assert table.read_bytes() == before


def test_the_table_like_the_papers_has_its_order_and_spreads(make_run, own_robot, tmp_path):
    trials = []
    for robot in (own_robot, "babyA", "gecko7", "spider9"):
        bea, bo = make_run(robot), make_run(robot, algorithm="bo")
        trials += [Trial(bea, n, fitness, None) for n, fitness in ((1, 0.03), (2, 0.05))]
        trials += [Trial(bo, 1, 0.02, None), Trial(bo, 2, None, None)]
    save_trials(tmp_path / "again", trials)
    page = write_report(tmp_path / "again").read_text()
    table = page[page.index("<h2>Mean fitness") : page.index("<h2>Controllers")]
    headings = re.findall("<th scope=col>(.*?)</th>", table)
    assert headings == [
            "fitness", *(f"{n}, gait (m/s)" for n in ("spider9", "gecko7", "babyA", "ant"))
        ]  # fmt: skip
    rows = [re.findall("<td.*?>(.*?)</td>", row) for row in table.split("<tr>")[2:]]
    assert rows[0] == ["BEA", *["0.04 ± 0.014"] * 4]
    assert rows[1][1:] == ["0.035", "0.036", "0.036", "-"]
    assert rows[2] == ["BO", *["0.02"] * 4]  # of one trial there is no spread
    assert rows[4] == ["BEA / BO", *["200 %"] * 4]
