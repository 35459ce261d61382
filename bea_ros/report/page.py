# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The page around the pictures."""

from __future__ import annotations

import html
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bea_ros.report import figures, style
from bea_ros.robots import robot_name
from bea_ros.runs.folder import (
    RunFolderError,
    read_evaluations,
    read_request,
    read_trajectories,
)
from bea_ros.runs.measurements import best_of, measurements, spread
from bea_ros.system.files import replace_file
from bea_ros.tasks import Trajectory, find_task, title_of


def write_report(folder: Path) -> Path:
    """Write report.html into a run's folder and return its path; raises RunFolderError."""
    request = read_request(folder)
    records = read_evaluations(folder)
    if request is None or not records:
        raise RunFolderError(f"{folder} is not the folder of a run with evaluations in it")
    unit = find_task(request["task"]).unit
    title = f"{robot_name(str(request['robot']))}: {title_of(request['task'])}"
    page = style.page(title, _lead(request), describe(records, read_trajectories(folder), unit))
    path = folder / "report.html"
    try:
        replace_file(path, page)
    except OSError as error:
        raise RunFolderError(f"cannot write {path}: {error.strerror}") from error
    return path


def describe(records: list[dict[str, Any]], paths: Mapping[int, Trajectory], unit: str) -> str:
    """Numbers, pictures and the best candidate of a run's evaluations, as HTML."""
    pictures = [
        ("Best fitness over evaluations", figures.fitness_over_evaluations(records, unit)),
        ("Best fitness over computation time", figures.fitness_over_time(records, unit)),
        ("Overhead of each evaluation", figures.overhead(records)),
        ("Gain per second", figures.gain_per_second(records, unit)),
        ("Trajectories from above", figures.trajectories(records, paths, unit)),
    ]
    best = best_of(records) or records[0]
    shown = "".join(style.picture(name, figure) for name, figure in pictures)
    weights = "".join(
        f"<tr><td>{html.escape(name)}</td><td class=number>{value:.3f}</td></tr>"
        for name, value in best["parameters"].items()
    )
    terms = "".join(
        f"<tr><td>{html.escape(name)}</td><td class=number>{value:.4f}</td></tr>"
        for name, value in best["terms"].items()
    )
    return (
        f"{style.facts(_facts(records, best, unit))}"
        f"<div class=pictures>{shown}</div>"
        f"<h2>The best candidate, evaluation {best['evaluation']}</h2>"
        f"<p>Its fitness was made of:</p><table>{terms}</table>"
        f"<p>Its CPG weights (1/s):</p><table>{weights}</table>"
    )


def _lead(request: Mapping[str, Any]) -> str:
    return (
        f"{request['algorithm'].upper()}, {request['profile']} profile, seed {request['seed']}, "
        f"{request['duration']:g} s an evaluation"
    )


def _facts(records: list[dict[str, Any]], best: Mapping[str, Any], unit: str) -> dict[str, str]:
    initial = [r["fitness"] for r in records if r["stage"] == "initial"]
    times = figures.computation_time(records)
    overheads = [r["time"]["overhead"] for r in records]
    tries = [r["attempts"] - len(measurements(r)) - len(r.get("doubted", [])) for r in records]
    interrupted = [r["time"].get("interruptions", 0) for r in records]
    repeated = sum(max(pair) > 0 for pair in zip(tries, interrupted, strict=True))
    sure = measurements(best)
    facts = {
        "best fitness": f"{best['fitness']:.4f} {unit}",
        **(
            {f"spread of its {len(sure)} measurements": f"{spread(best):.4f} {unit}"}
            if len(sure) > 1
            else {}
        ),
        "evaluations": str(len(records)),
        "computation time": f"{times[-1] / 60:.1f} min",
        "of it overhead": f"{100 * sum(overheads) / times[-1]:.1f} %",
        "evaluations repeated": str(repeated),
    }
    if corrected := [str(r["evaluation"]) for r in records if r.get("doubted")]:
        facts["measured again, doubted by the operator"] = ", ".join(corrected)
    if given_up := [str(r["evaluation"]) for r in records if r.get("given_up")]:
        facts["given up, the robot falls each time"] = ", ".join(given_up)
    if initial and np.median(initial) > 0:
        facts["best / median initial sample"] = f"{best['fitness'] / np.median(initial):.1f}"
    return facts
