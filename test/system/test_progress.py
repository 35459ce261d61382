# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How far a study is, where there is no terminal to redraw a bar on."""

import threading

import pytest

from bea_ros.system import execution


def test_a_log_gets_lines_while_the_study_runs(monkeypatch, capsys):
    monkeypatch.setattr(execution, "POLL", 0.01)
    monkeypatch.setattr(execution, "LOGGED", 0.0)
    done, looked = iter(range(6)), threading.Event()

    def count():
        number = next(done, 5)
        if number == 5:
            looked.set()
        return number

    with execution.progress(9, count, "evaluations", lambda: "1/3 runs"):
        assert looked.wait(60), "nobody counts"
    lines = capsys.readouterr().err.splitlines()
    for number in (1, 3):
        assert any(f" {number}/9 " in line and line.endswith("1/3 runs") for line in lines), lines


@pytest.mark.parametrize("jobs", [0, -2])
def test_a_number_of_jobs_that_cannot_be_is_refused(jobs):
    with pytest.raises(ValueError, match=f"--jobs {jobs}"):
        execution.check_jobs(jobs)
