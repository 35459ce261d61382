# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever stands in a file: it is taken for what it is, or refused in one line, never a crash."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bea_ros.bringup import BringupError, NodeSpec, configured
from bea_ros.localization.arena import Arena, ArenaError
from bea_ros.robots import RobotError, load_robot
from bea_ros.runs.check import check_run
from bea_ros.runs.folder import (
    BEST,
    LOG,
    REQUEST,
    TRAJECTORIES,
    RunFolder,
    RunFolderError,
    read_best,
    read_evaluations,
    read_request,
    read_trajectories,
)
from bea_ros.tasks import Trajectory
from bea_ros.yaml_files import YamlFileError, parse_yaml

EXAMPLES = int(os.environ.get("BEA_FUZZ", "40"))
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="BEA_FUZZ" not in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
)
tried: dict[str, int] = {}

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(2**63) - 1, 0, -1])
    | st.floats()
    | st.text(max_size=20)
    | st.dates()
    | st.binary(max_size=5)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8) | scalars, inner, max_size=4)
    ),
    max_leaves=12,
)
NASTY = [
    b"a: &a [*a]", b"a: &a {b: 1}\nc: {d: *a}", b"[" * 5000, b"{a: " * 5000, b"\xff\xfe", b"\0",
    b"!!python/object/apply:os.system [echo]", b"a: 2026-02-31", b"a: 1" + b"0" * 5000,
    b"? [a]\n: 1",
    b"a: !!binary '%%%'", b"a: .nan", b"- - - -", b"\t", b"%TAG ! x", b"a: |\n", b"--- a\n--- b",
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def report() -> Iterator[None]:
    yield
    print("\nfuzzing files, inputs tried: " + ", ".join(f"{n} {c}" for n, c in tried.items()))


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as path:
        yield Path(path)


def refused_or_good(what: str, error: type[Exception], read: Callable[[], Any]) -> Any:
    """What was read, or None if it was refused in one line."""
    tried[what] = tried.get(what, 0) + 1
    try:
        return read()
    except error as refusal:
        message = str(refusal)
    assert len(message.splitlines()) == 1, message
    assert len(message) > 10
    return None


def texts(examples: Any) -> Any:
    """YAML of such values, of such values with some bytes changed, and things worse."""
    dumped = examples.map(lambda value: yaml.safe_dump(value, allow_unicode=True).encode())
    changed = st.builds(
        lambda text, at, new: (
            text[: at % (len(text) + 1)] + new + text[at % (len(text) + 1) + 1 :]
        ),
        dumped,
        st.integers(0, 10_000),
        st.binary(max_size=3),
    )
    return dumped | changed | st.sampled_from(NASTY) | st.binary(max_size=30)


ARENA = {
    "width": 4.0, "depth": 3.0, "robot_marker": {"id": 0, "size": 0.1},
    "floor_markers": [{"id": 1, "size": 0.2, "x": 1.0, "y": 1.0}],
}  # fmt: skip
MARKERS = values.map(lambda value: [{"id": value, "size": value, "x": 0, "y": 0}])
arenas = st.fixed_dictionaries(
    {key: st.just(value) | values for key, value in ARENA.items()},
    optional={"dictionary": st.just("DICT_4X4_50") | values, "x": values},
) | MARKERS.map(lambda markers: {**ARENA, "floor_markers": markers})


@fuzz
@given(text=texts(arenas))
def test_arenas(folder: Path, text: bytes) -> None:
    (folder / "arena.yaml").write_bytes(text)
    arena = refused_or_good("arenas", ArenaError, lambda: Arena.load(folder / "arena.yaml"))
    if arena:
        assert 0 < arena.width <= 100
        assert all(math.isfinite(marker.x + marker.y) for marker in arena.floor_markers)


configs = st.fixed_dictionaries({"learner": st.fixed_dictionaries({"ros__parameters": values})})


@fuzz
@given(text=texts(configs | values))
def test_parameter_files(folder: Path, text: bytes) -> None:
    path = folder / "config.yaml"
    path.write_bytes(text)
    nodes = [NodeSpec("learner"), NodeSpec("simulator")]
    found = refused_or_good(
        "parameter files", BringupError, lambda: configured(nodes, str(path), ())
    )
    for node in found or []:
        for value in node.parameters.values():
            parts = value if isinstance(value, list) else [value]
            assert parts
            assert all(type(part) in (bool, int, float, str) for part in parts)


@fuzz
@given(text=texts(st.fixed_dictionaries({"marker_id": values | st.just(3)})))
def test_numbers_of_robots(folder: Path, text: bytes) -> None:
    xacro = folder / "walker.urdf.xacro"
    xacro.write_text(
        '<robot name="walker" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(arg modules)/modules.urdf.xacro"/><xacro:core/>'
        '<xacro:lifting_segment name="tail" parent="base_link" slot="rear"/></robot>'
    )
    (folder / "walker.yaml").write_bytes(text)
    robot = refused_or_good("robots' YAML", RobotError, lambda: load_robot(xacro))
    assert robot is None or robot.marker.id >= 0


XACRO = (
    '<robot name="w" xmlns:xacro="http://www.ros.org/wiki/xacro"> '
    '<xacro:include filename="$(arg modules)/modules.urdf.xacro"/> <xacro:core/> '
    '<xacro:lifting_segment name="tail" parent="base_link" slot="rear"/> '
    '<link name="l"> <inertial> <mass value="1"/> </inertial> </link> '
    '<joint name="j" type="revolute"> <parent link="base_link"/> <child link="l"/> '
    '<limit lower="-1" upper="1" effort="1" velocity="1"/> </joint> </robot>'
)


@fuzz
@given(data=st.data())
def test_descriptions_of_robots(folder: Path, data: st.DataObject) -> None:
    """A good xacro with pieces taken out, doubled and put elsewhere."""
    words = XACRO.split(" ")
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(words) - 1))
        new = data.draw(st.sampled_from(["", 'value="nan"', "${1/0}", "${x}", "<", words[at]]))
        words[at] = new
    (folder / "w.urdf.xacro").write_text(" ".join(words))
    (folder / "w.yaml").write_text("marker_id: 3\n")
    path = folder / "w.urdf.xacro"
    refused_or_good("robots' xacro", RobotError, lambda: load_robot(path))


def record(number: int) -> dict[str, Any]:
    return {
        "evaluation": number, "stage": "initial", "parameters": {"leg": 0.1}, "fitness": 0.01,
        "terms": {"duration": 2.0}, "attempts": 1, "time": {"overhead": 0.1, "evaluation": 2.0},
    }  # fmt: skip


def new_run(path: Path) -> None:
    for name in (LOG, REQUEST, TRAJECTORIES, BEST):
        (path / name).unlink(missing_ok=True)
    run = RunFolder(path, {"robot": "spider9", "task": "gait"}, {})
    t = np.arange(3.0)
    for number in (1, 2):
        run.append(record(number), Trajectory(t, t, t, t))
    best = {"evaluation": 1, "attempt": 1, "robot": "spider9", "names": ["a"], "values": [0.1]}
    run.write_best(best, "gait")
    run.close()


@fuzz
@given(data=st.data())
def test_run_folders(folder: Path, capsys: pytest.CaptureFixture, data: st.DataObject) -> None:
    """Bytes changed, taken out and put in: what is read is what was written, or it is refused."""
    run = folder / "run"
    run.mkdir(exist_ok=True)
    new_run(run)
    whole = {name: (run / name).read_bytes() for name in (LOG, REQUEST, TRAJECTORIES, BEST)}
    name = data.draw(st.sampled_from([LOG, REQUEST, TRAJECTORIES, BEST]))
    text = whole[name]
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = begin + data.draw(st.integers(0, 40))
        text = text[:begin] + data.draw(st.binary(max_size=8)) + text[end:]
    (run / name).write_bytes(text)
    read: dict[str, Callable[[], Any]] = {
        LOG: lambda: read_evaluations(run),
        REQUEST: lambda: read_request(run),
        TRAJECTORIES: lambda: sorted(read_trajectories(run)),
        BEST: lambda: read_best(run),
    }
    found = refused_or_good("run folders", RunFolderError, read[name])
    if name == LOG and found is not None:
        assert found == [record(1), record(2)][: len(found)]
    elif name == TRAJECTORIES and found is not None:
        assert found == [1, 2][: len(found)]
    elif found is not None:
        (run / name).write_bytes(whole[name])
        assert found == read[name]()
        (run / name).write_bytes(text)
    refused_or_good("runs to check", RunFolderError, lambda: check_run(run))
    capsys.readouterr()


@fuzz
@given(record=values, text=st.binary(max_size=60))
def test_logs_of_format_1_have_no_checksums_to_trust(
    folder: Path, record: Any, text: bytes
) -> None:
    run = folder / "old"
    run.mkdir(exist_ok=True)
    (run / REQUEST).write_text("format: 1\nrequest: {robot: spider9, task: gait}\n")
    (run / LOG).write_bytes(repr(record).encode("utf-8", "replace") + b"\n" + text + b"\n{}\n")
    refused_or_good("logs of format 1", RunFolderError, lambda: read_evaluations(run))


@pytest.mark.parametrize("text", NASTY, ids=lambda text: str(text[:12]))
def test_nasty_yaml_is_refused_or_plain_data(text: bytes) -> None:
    refused_or_good("nasty YAML", YamlFileError, lambda: parse_yaml(text, "file"))
