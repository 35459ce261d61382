# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run's candidates in the embedded simulator, also of one that is not finished."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml

from bea_ros.gazebo.compare import agreement, main
from bea_ros.system.yaml_files import sealed


def test_each_candidate_is_measured_again(
    make_run: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(robot_backend="gazebo")
    assert main([str(run)]) == 0
    there, here = re.findall(r"\| 1 \| (\S+) \| (\S+) \|", capsys.readouterr().out)[0]
    assert float(there) == pytest.approx(float(here), abs=0.002)


def test_a_run_that_names_no_duration_had_the_task_s_own(
    make_run: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(task="rotating", duration=15.0, robot_backend="gazebo")
    head = yaml.safe_load((run / "run.yaml").read_text())
    del head["request"]["duration"]
    (run / "run.yaml").write_bytes(sealed(head))
    assert main([str(run)]) == 0
    assert "rotating, 15 s, fitness in rad" in capsys.readouterr().out


@pytest.mark.parametrize(
    "what", ["empty log", "no log", "given up", "no best", "no run", "simulator"]
)
def test_what_cannot_be_compared_is_one_line(
    make_run: Callable[..., Path], capsys: pytest.CaptureFixture[str], what: str
) -> None:
    run = make_run(robot_backend="simulator" if what == "simulator" else "gazebo")
    log = run / "evaluations.jsonl"
    if what == "empty log":
        log.write_text("")
    elif what == "no log":
        log.unlink()
    elif what == "given up":
        record = json.loads(log.read_text())
        del record["time"]["crc"]
        record["given_up"] = True
        log.write_text(json.dumps(record) + "\n")
    elif what == "no best":
        (run / "best.yaml").unlink()
    elif what == "no run":
        run = run.parent
    assert main([str(run)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert re.fullmatch(r"compare: .+\n", said.err)


def test_the_difference_is_given_as_a_share_of_the_range() -> None:
    said = agreement(np.array([0.0, 1.0, 2.0]), np.array([0.1, 1.1, 1.9]))
    assert "(Spearman) 1.00" in said
    assert "Mean difference: 5 % of the range" in said
