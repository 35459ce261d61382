# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""report.html: one file that shows and explains a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bea_ros.report import pages
from bea_ros.report.happened import facts_of, happened, settings
from bea_ros.report.interactive import data_of, script
from bea_ros.robots import Robot, robot_name
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.runs.folder.head import RunFolderError, read_head
from bea_ros.runs.folder.measurements import best_of, measurements
from bea_ros.runs.folder.run_folder import read_evaluations, read_trajectories
from bea_ros.runs.learned import Learned
from bea_ros.system.files import replace_file
from bea_ros.tasks import UNITS, Trajectory, find_task, title_of

NEEDED = ("robot", "task", "algorithm", "profile", "seed", "duration")
Records = list[dict[str, Any]]

FITNESS = (
    "Each dot is an evaluation, the line the best so far. Point at one for its parameters and its "
    "path; click to keep it. On a keyboard, the arrow keys step through them."
)
GAIN = (
    "Gain per second: what the best fitness gained over the last ten evaluations, for each second "
    "that they took, robot and optimizer together."
)
OVERHEAD = "What the optimizer took for an evaluation, to choose its candidate and to learn."
PREDICTED = (
    "What the optimizer expected of each candidate before it was tried, with two standard "
    "deviations about it, and what was measured."
)
PATHS = "From where the robot started, facing right; in metres."
GAIT = (
    "The joints' angles over two periods of the strongest rhythm, as the network commands them, "
    "before limits of speed."
)
NO_SCRIPT = (
    "<noscript><p class=warning>The charts need JavaScript, which is in this file.</p></noscript>"
)
CHART = (
    "<div id=fitness class=chart data-height=360 tabindex=0 role=group "
    'aria-label="fitness of each evaluation: arrow keys choose one"></div>'
)
OVER = (
    "<p class=choice>over "
    "<label><input type=radio name=over value=number checked> evaluations</label> "
    "<label><input type=radio name=over value=time> computation time</label></p>"
)


def write_report(folder: Path) -> Path:
    """Write report.html into a run's folder and return its path; raises RunFolderError."""
    head, records = read_head(folder), read_evaluations(folder)
    if head is None or not records:
        raise RunFolderError(f"{folder} is not the folder of a run with evaluations in it")
    request = head["request"]
    if missing := [name for name in NEEDED if name not in request]:
        raise RunFolderError(f"{folder}: its run.yaml does not say which {missing[0]} it was of")
    unit = find_task(str(request["task"])).unit
    controller = _controller(folder, request, records)
    body = describe(records, read_trajectories(folder), unit, controller, head)
    title = f"{robot_name(str(request['robot']))}: {title_of(request['task'])}"
    path = folder / "report.html"
    try:
        replace_file(path, pages.page(title, _lead(request), body), create_folder=False)
    except OSError as error:
        raise RunFolderError(f"cannot write {path}: {error.strerror}") from error
    return path


def _controller(
    folder: Path, request: Mapping[str, Any], records: Records
) -> tuple[Robot, CpgNetwork] | None:
    """The robot and the best controller; None without one, or if the robot has changed."""
    best = best_of(records)
    if best is None:
        return None
    try:
        learned = Learned(folder, dict(request), best["evaluation"], best["parameters"], None, {})
        robot = learned.robot()
        return robot, learned.network(robot)
    except (ValueError, KeyError):
        return None


def describe(
    records: Records,
    paths: Mapping[int, Trajectory],
    unit: str,
    controller: tuple[Robot, CpgNetwork] | None = None,
    head: Mapping[str, Any] | None = None,
) -> str:
    """A run's evaluations as HTML: numbers, what happened, charts, the best candidate."""
    best = best_of(records)
    values, notes = facts_of(records, best, unit, (head or {}).get("request", {}))
    cards = [
        pages.card("What happened", pages.items(happened(records, head or {}))),
        pages.card("Fitness", f"{OVER}{CHART}", FITNESS, "wide"),
        pages.card("Evaluation", "<div id=chosen aria-live=polite></div>", kind="third"),
        pages.card(
            "Gain per second",
            "<div id=gain class=chart></div><table id=stages class=stacked></table>",
            GAIN,
            "half",
        ),
        pages.card("Overhead", "<div id=overhead class=chart></div>", OVERHEAD, "half"),
    ]
    if any("predicted" in record for record in records):
        shown = "<div id=predicted class=chart></div>"
        cards.append(pages.card("Predicted and measured", shown, PREDICTED, "half"))
    cards.append(pages.card("Paths from above", "<div id=paths></div>", PATHS, "half"))
    number = f"evaluation no. {best['evaluation']}" if best else ""
    if controller:
        cards += [
            pages.card(f"The best gait, {number}", "<div id=film></div>", kind="half"),
            pages.card("Its joints", "<div id=joints class=chart></div>", GAIT),
        ]
    cards += [_best(best, number, unit)] if best else []
    cards += [pages.folded(title, text) for title, text in settings(head or {}).items()]
    data = data_of(records, paths, unit, controller)
    body = f"<div class=cards>{''.join(cards)}</div>"
    return f"{pages.facts(values, notes)}{NO_SCRIPT}{body}{script(data)}"


def _best(best: Mapping[str, Any], number: str, unit: str) -> str:
    """The terms of the best candidate's last measurement, and the network's weights."""
    units = {**UNITS, "fitness": unit}
    terms = {
        name.replace("_", " "): f"{value:.4f} {units.get(name, '')}"
        for name, value in best["terms"].items()
    }
    weights = {name: f"{value:.3f}" for name, value in best["parameters"].items()}
    several = len(measurements(best))
    of = f"The last of its {several} measurements" if several > 1 else "Its fitness"
    body = (
        f"<p class=note>{of} was made of:</p><div class=columns>{pages.pairs(terms)}</div>"
        "<p class=note>Its CPG weights, 1/s: of joints, then of couplings between two.</p>"
        f"<div class=columns>{pages.pairs(weights)}</div>"
    )
    return pages.card(f"The best candidate, {number}", body)


def _lead(request: Mapping[str, Any]) -> str:
    return (
        f"{str(request['algorithm']).upper()}"
        f"{' from a repertoire' if request.get('prior') else ''}, "
        f"{request['profile']} profile, seed {request['seed']}, "
        f"{request['duration']:g} s an evaluation"
        + (f", motor {request['motor']}" if request.get("motor", "servo") != "servo" else "")
    )
