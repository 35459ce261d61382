# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a recording: the pictures of its run, and each fitness beside the learner's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bea_ros.bags.reading import BagError, Evaluation, Recording
from bea_ros.report import style
from bea_ros.report.page import describe


def write_recording_report(recording: Recording, path: Path) -> Path:
    """Write the page and return its path; raises BagError."""
    measured = [e for e in recording.evaluations if e.fitness is not None]
    paths = {e.evaluation: e.trajectory for e in measured if e.trajectory is not None}
    unit = recording.task.unit
    title = f"{recording.robot}: {recording.task.name.replace('_', ' ')}"
    lead = f"{recording.duration:g} s an evaluation, computed again from {recording.path.name}"
    pictures = describe([_record(e) for e in measured], paths, unit) if measured else ""
    page = style.page(title, lead, f"<p>{verdict(recording)}</p>{pictures}{_table(recording)}")
    try:
        style.write(path, page)
    except OSError as error:
        raise BagError(f"cannot write {path}: {error.strerror}") from error
    return path


def verdict(recording: Recording) -> str:
    """Whether what was computed again is what the learner logged, in a sentence."""
    evaluations = recording.evaluations
    equal = sum(e.equal for e in evaluations)
    said = f"{len(evaluations)} evaluations: {equal} give the learner's fitness to the last digit"
    lost = sum(e.fitness is None for e in evaluations)
    other = len(evaluations) - equal - lost
    said += f", {other} another one" if other else ""
    return said + (f", {lost} cannot be computed again" if lost else "")


def differences(recording: Recording) -> list[str]:
    """A line for each evaluation whose fitness is not the learner's."""
    return [
        f"evaluation {e.evaluation}: the learner's {e.logged:.6g}, "
        + (f"computed {e.fitness.value:.6g}" if e.fitness else f"not computed: {e.problem}")
        for e in recording.evaluations
        if not e.equal
    ]


def _table(recording: Recording) -> str:
    headings = ("evaluation", "learner's", "computed again", "difference")
    rows = [(str(e.evaluation), f"{e.logged:.6g}", *_again(e)) for e in recording.evaluations]
    heading = f"<h2>Each fitness ({recording.task.unit})</h2>"
    return heading + style.table(headings, rows)


def _again(evaluation: Evaluation) -> tuple[str, str]:
    if evaluation.fitness is None:
        return "-", evaluation.problem
    difference = evaluation.fitness.value - evaluation.logged
    return f"{evaluation.fitness.value:.6g}", f"{difference:.2g}" if difference else "0"


def _record(evaluation: Evaluation) -> dict[str, Any]:
    """As a line of a run's log."""
    assert evaluation.fitness is not None
    return {
        "evaluation": evaluation.evaluation,
        "stage": evaluation.stage,
        "parameters": evaluation.parameters,
        "fitness": evaluation.fitness.value,
        "terms": evaluation.fitness.terms,
        "attempts": evaluation.attempts,
        "time": {"overhead": evaluation.overhead, "evaluation": evaluation.took},
    }
