# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a recording: the run's pictures, and each computed fitness beside the learner's."""

from __future__ import annotations

from pathlib import Path

from bea_ros.bags.reading import BagError
from bea_ros.bags.recomputing import Comparison, Recording
from bea_ros.report import pages
from bea_ros.report.page import describe
from bea_ros.system.files import replace_file
from bea_ros.tasks import title_of


def write_recording_report(recording: Recording, path: Path) -> Path:
    """Write the page and return its path; raises BagError."""
    unit = recording.task.unit
    title = f"{recording.robot}: {title_of(recording.task.name)}"
    lead = f"{recording.duration:g} s an evaluation, computed again from {recording.path.name}"
    body = f"<p>{verdict(recording)}</p>"
    if recording.evaluations:
        body += describe(recording.evaluations, recording.trajectories, unit)
    page = pages.page(title, lead, body + _table(recording))
    try:
        replace_file(path, page)
    except OSError as error:
        raise BagError(f"cannot write {path}: {error.strerror}") from error
    return path


def verdict(recording: Recording) -> str:
    """A sentence that says whether the computed fitnesses equal those that the learner logged."""
    everything = recording.comparisons
    equal = sum(one.equal for one in everything)
    said = f"{len(everything)} measurements: {equal} give the learner's fitness to the last digit"
    lost = sum(one.computed is None for one in everything)
    other = len(everything) - equal - lost
    said += f", {other} another one" if other else ""
    said += f", {lost} cannot be computed again" if lost else ""
    said += " (the recording was cut off)" if recording.cut_off else ""
    if recording.defaults:
        said += "; the recording has no parameters of camera_localization: defaults are used"
    return said


def differences(recording: Recording) -> list[str]:
    """A line for each fitness that differs from the learner's."""
    return [
        f"evaluation {one.evaluation}: the learner's {one.logged:.6g}, "
        + (
            f"not computed: {one.problem}"
            if one.computed is None
            else f"computed {one.computed:.6g}"
        )
        for one in recording.comparisons
        if not one.equal
    ]


def _table(recording: Recording) -> str:
    headings = ("evaluation", "learner's", "computed again", "difference")
    rows = [
        (str(one.evaluation), f"{one.logged:.6g}", *_again(one)) for one in recording.comparisons
    ]
    heading = f"<h2>Each fitness ({recording.task.unit})</h2>"
    return heading + pages.table(headings, rows)


def _again(one: Comparison) -> tuple[str, str]:
    if one.computed is None:
        return "-", one.problem
    difference = one.computed - one.logged
    return f"{one.computed:.6g}", f"{difference:.2g}" if difference else "0"
