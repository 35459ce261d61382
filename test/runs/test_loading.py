# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run as tables, and what other programs read of it."""

import errno
import json
import os
import re
import resource
import shlex
import struct
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from example_run import record
from run_maker import make_run

from bea_ros.__main__ import main
from bea_ros.runs import load
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.lock import RunLock
from bea_ros.runs.folder.log import line_of
from bea_ros.runs.folder.run_folder import read_evaluations, read_measurements, read_trajectories
from bea_ros.system.yaml_files import sealed


def of_a_row(row: dict) -> dict:
    """A row of the table `log` as the record it was made of."""
    record: dict = {}
    for name, value in row.items():
        if pd.isna(value):
            continue
        *places, last = name.split(".")
        holder = record
        for place in places:
            holder = holder.setdefault(place, {})
        holder[last] = value
    return record


def lines_in(folder: Path) -> list[dict]:
    """A table says the same of no terms and of a term that is not there."""
    return [{n: v for n, v in line.items() if v != {}} for line in read_measurements(folder)]


def test_tables_are_the_log(tmp_path):
    run = load(make_run(tmp_path / "run"))
    assert [of_a_row(row) for row in run.log.to_dict("records")] == lines_in(tmp_path / "run")
    table, records = run.evaluations, read_evaluations(tmp_path / "run")
    assert table["fitness"].tolist() == [record["fitness"] for record in records]
    assert table.index.tolist() == list(range(1, 13))
    assert table["measurements"].tolist() == [1] * 4 + [2] + [1] * 7
    assert table["given_up"].tolist() == [False] * 2 + [True] + [False] * 9
    assert table["best"].iloc[2] == table["fitness"].iloc[1]  # what is given up is no best
    assert (np.diff(table["best"]) >= 0).all()
    assert table.loc[1, "parameters.leg_00"] == 1 / 30
    assert run.unit == "m/s"
    poses = run.trajectories
    for number, path in read_trajectories(tmp_path / "run").items():
        mine = poses[poses["evaluation"] == number]
        assert mine[["x", "y"]].to_numpy().tolist() == path.positions.tolist()


def test_the_page_about_notebooks_reads_a_run(tmp_path, monkeypatch, capsys):
    make_run(tmp_path / "runs" / "first")
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "tutorials" / "notebook.md").read_text()
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", page, re.M | re.S))
    names: dict = {}
    exec(compile(code, "notebook.md", "exec"), names)
    said = capsys.readouterr().out
    assert re.search("m from its start.*parameters.leg_00", said, re.S)
    assert names["log"]["evaluation"].tolist() == list(range(1, 13))
    assert {len(pose) for pose in names["paths"]["poses"].iloc[0]} == {4}


def test_a_run_says_how_far_it_is(tmp_path):
    folder = make_run(tmp_path / "run", evaluations=4)
    assert load(folder).state == "finished"
    assert load(make_run(tmp_path / "more", evaluations=4, confirm=1)).state == "stopped"
    lock = RunLock(folder)
    assert load(folder).state == "learning"
    lock.close()
    with pytest.raises(RunFolderError, match="is not the folder of a run"):
        load(tmp_path)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_export_read_back_is_the_log(ending, tmp_path, capsys):
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="pip install pyarrow")
    folder = make_run(tmp_path / "run")
    assert main(["export", str(folder), f"--{ending}"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"wrote {folder}/export/log.{ending}"

    def read(name: str) -> pd.DataFrame:
        path = folder / "export" / f"{name}.{ending}"
        if ending == "parquet":
            return pd.read_parquet(path)
        exact = {} if int(pd.__version__.split(".")[0]) >= 3 else {"float_precision": "round_trip"}
        return pd.read_csv(path, **exact)  # pandas 3 reads each digit without being told

    assert [of_a_row(row) for row in read("log").to_dict("records")] == lines_in(folder)
    run = load(folder)
    pd.testing.assert_frame_equal(read("evaluations"), run.evaluations.reset_index())
    pd.testing.assert_frame_equal(read("trajectories"), run.trajectories)
    about = json.loads((folder / "export" / "run.json").read_text())
    assert about["request"] == run.request
    assert about["unit"] == "m/s"


def test_a_run_yaml_of_before_checksums_may_hold_a_date_and_a_log_half_a_prediction(tmp_path):
    folder = make_run(tmp_path / "run", evaluations=1)
    head = {"format": 1, "request": load(folder).request}
    (folder / "run.yaml").write_text(f"{yaml.safe_dump(head)}versions: {{of: 2024-05-06}}\n")
    (folder / "evaluations.jsonl").write_bytes(line_of({**record(1), "predicted": {"mean": 1.0}}))
    assert load(folder).versions == {"of": "2024-05-06"}
    for words in (["export", "--csv"], ["report"]):
        assert main([*words, str(folder)]) == 0


def offered(said):
    """The command in parentheses at the end of what an export says, as a shell reads it."""
    return shlex.split(re.search(r"to see it: (.*)\)", said)[1])


def test_export_for_tensorboard(tmp_path, capsys):
    pytest.importorskip("tensorboardX", reason="pip install tensorboardX")
    from tensorboardX.proto.event_pb2 import Event

    folder = make_run(tmp_path / "my run")
    (folder / "export").mkdir()
    (folder / "export" / "events.of.others").touch()
    for _ in range(2):  # twice: a run that went on is exported anew, not beside itself
        assert main(["export", str(folder), "--tensorboard"]) == 0
    said = capsys.readouterr().out
    assert offered(said) == ["tensorboard", "--logdir", str(folder / "export")]
    (folder / "export" / "events.of.others").unlink()
    (path,) = (folder / "export").glob("events.*")
    content, at, found = path.read_bytes(), 0, {}
    while at < len(content):  # records of length, its checksum, bytes, their checksum
        (size,) = struct.unpack_from("<Q", content, at)
        event = Event.FromString(content[at + 12 : at + 12 + size])
        at += 16 + size
        for value in event.summary.value:
            found[value.tag, event.step] = value.simple_value
    table = load(folder).evaluations
    for number, fitness in table["fitness"].items():
        assert found["fitness", number] == pytest.approx(fitness, rel=1e-6)
    assert found["parameters/leg_00", 12] == pytest.approx(12 / 30)


def test_an_export_for_tensorboard_says_that_the_disk_is_full(tmp_path, capsys):
    pytest.importorskip("tensorboardX", reason="pip install tensorboardX")
    folder = make_run(tmp_path / "run")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, usual[1]))
    try:
        assert main(["export", str(folder), "--tensorboard"]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert capsys.readouterr().err == "bea export: File too large\n"


def test_export_for_mlflow(tmp_path, monkeypatch, capfd):
    mlflow = pytest.importorskip("mlflow", reason="pip install mlflow-skinny sqlalchemy alembic")
    pytest.importorskip("sqlalchemy", reason="pip install sqlalchemy")
    monkeypatch.chdir(tmp_path)
    uri = f"sqlite:///{tmp_path / 'all of them.db'}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    folder = make_run(tmp_path / "run")
    assert main(["export", str(folder), "--mlflow"]) == 0
    said = capfd.readouterr()
    assert offered(said.out) == ["mlflow", "ui", "--backend-store-uri", uri]
    assert "INFO" not in said.err
    client = mlflow.MlflowClient(uri)
    experiment = client.get_experiment_by_name("spider9 gait")
    (found,) = client.search_runs([experiment.experiment_id])
    assert found.info.run_name == "run"
    assert found.data.params["option.noise"] == "1e-05"
    history = client.get_metric_history(found.info.run_id, "best")
    best = load(folder).evaluations["best"]
    assert {metric.step: metric.value for metric in history} == best.to_dict()


def test_an_mlflow_that_refuses_is_named_in_a_line(tmp_path, monkeypatch, capsys):
    pytest.importorskip("mlflow", reason="pip install mlflow-skinny sqlalchemy alembic")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "nowhere://server")
    assert main(["export", str(make_run(tmp_path / "run")), "--mlflow"]) == 2
    assert re.fullmatch("bea export: MLflow at nowhere://server: .*\n", capsys.readouterr().err)
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    assert main(["export", str(make_run(tmp_path / "50%da")), "--mlflow"]) == 2
    assert "MLflow takes no path with %" in capsys.readouterr().err


def test_what_is_not_installed_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "tensorboardX", None)
    folder = make_run(tmp_path / "run")
    assert main(["export", str(folder), "--tensorboard"]) == 2
    assert "tensorboardX is not installed: pip install tensorboardX" in capsys.readouterr().err


def test_list_says_what_is_there(tmp_path, capsys, monkeypatch):
    make_run(tmp_path / "first" / "run", evaluations=4)
    make_run(tmp_path / "other", task="rotating", algorithm="ea", profile="paper")
    log = make_run(tmp_path / "spoilt") / "evaluations.jsonl"
    log.write_bytes(log.read_bytes().replace(b"0.5", b"0.6", 1))
    assert main(["list", str(tmp_path)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[1].split() == ["first/run", "spider9", "gait", "bea", "4/4", *said[1].split()[5:]]
    assert said[1].split()[6:] == ["m/s", "finished"]
    assert said[2].split()[:6] == ["other", "spider9", "rotating", "ea", "paper", "12/12"]
    assert said[3].split() == ["spoilt", "spider9", "gait", "bea", "?/12", "-", "damaged"]
    assert said[4].startswith(str(log))
    assert main(["list", *(str(tmp_path / name) for name in ("first", "other", "other"))]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert names == [str(tmp_path / "first" / "run"), str(tmp_path / "other")]
    (tmp_path / "other" / "film").mkdir()
    for here, folder in (("other", "."), ("other/film", "..")):
        monkeypatch.chdir(tmp_path / here)
        assert main(["list", folder]) == 0
        assert capsys.readouterr().out.splitlines()[1].split()[0] == "other"
    assert main(["list", str(tmp_path / "nowhere")]) == 2
    assert main(["list", str(tmp_path / "other" / "film")]) == 0


@pytest.mark.parametrize("left", ["best.yaml", "trajectories.jsonl"])
def test_a_log_that_was_emptied_is_damage(left, tmp_path, capsys):
    """It was a fine run of no evaluations."""
    run = make_run(tmp_path / "run", evaluations=4)
    if left == "best.yaml":
        best = {"evaluation": 1, "robot": "spider9", "names": ["leg_00"], "values": [0.0]}
        (run / left).write_bytes(sealed(best))
        (run / "trajectories.jsonl").unlink()
    (run / "evaluations.jsonl").write_bytes(b"")
    assert main(["list", str(tmp_path)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[1].split() == ["run", "spider9", "gait", "bea", "?/4", "-", "damaged"]
    assert left in said[2]
    for command in (["export", str(run), "--csv"], ["report", str(run)]):
        assert main(command) == 2
        assert left in capsys.readouterr().err


def test_a_narrow_terminal_shows_whole_names(tmp_path, capsys, monkeypatch):
    name = "spider9-directed_locomotion-bea-seed12"
    make_run(tmp_path / name, task="directed_locomotion")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")  # 80 columns
    assert main(["list", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "".join(line.split("  ")[0].strip() for line in lines[1:]).startswith(name)


def test_links_to_folders_are_followed_once(tmp_path, capsys):
    make_run(tmp_path / "disk" / "of mine")
    runs = tmp_path / "runs"
    runs.mkdir()
    for name, target in {"linked": tmp_path / "disk", "round": runs}.items():
        (runs / name).symlink_to(target)
    assert main(["list", str(runs)]) == 0
    (_, only) = capsys.readouterr().out.splitlines()
    assert only.startswith("linked/of mine")


def test_a_folder_that_cannot_be_read_is_not_an_empty_one(tmp_path, capsys, monkeypatch):
    def denied(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    scan = os.scandir
    monkeypatch.setattr(os, "scandir", denied)
    assert main(["list", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"bea list: {tmp_path}: Permission denied\n"
    (locked := tmp_path / "locked").mkdir()
    monkeypatch.setattr(os, "scandir", lambda at: (denied if Path(at) == locked else scan)(at))
    assert main(["list", str(tmp_path)]) == 1
    assert "locked" in capsys.readouterr().out


def test_what_strangers_wrote_changes_no_terminal(tmp_path, capsys):
    make_run(tmp_path / "run [/a]", task="[/nope] [red]x", algorithm=":smile:")
    make_run(tmp_path / "run\x1b[2J")
    assert main(["list", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "run [/a]  spider9  [/nope] [red]x  :smile:" in said
    assert "run?[2J" in said
    log = tmp_path / "run [/a]" / "evaluations.jsonl"
    log.write_bytes(line_of({**record(1), "stage": "\x1b[2J"}))
    assert main(["list", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "line 1 is damaged: it has a character that cannot be printed" in said
    assert "\x1b" not in said
    assert main(["doctor", str(tmp_path / "none\x1b[2J")]) == 2
    assert "\x1b" not in capsys.readouterr().err
