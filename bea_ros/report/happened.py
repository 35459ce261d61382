# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run in words: its numbers, its events, its settings and versions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from bea_ros.optimizers.adaptive.start import FIRST
from bea_ros.report import pages
from bea_ros.runs.folder.inputs import words_of_change
from bea_ros.runs.folder.measurements import measured, measurements, spread

Records = Sequence[Mapping[str, Any]]
STAGES = {
    "repertoire": "The repertoire was tried",
    "initial": "Initial samples were tried",
    "bayesian": "Bayesian optimization chose",
    "evolutionary": "The evolutionary algorithm chose",
    "local": "A local search chose",
}
GIVEN = "given"  # not a stage of an optimizer
NOTES = {
    "computation time": "robot and optimizer together; pauses are left out",
    "of it overhead": "what the optimizer took, to choose and to learn",
    "best / median initial sample": "how much better than a candidate at random",
    "evaluations repeated": "that could not be trusted at first, or were interrupted",
}


def facts_of(
    records: Records, best: Mapping[str, Any] | None, unit: str, request: Mapping[str, Any]
) -> tuple[dict[str, str], dict[str, str]]:
    """The run's numbers by name, and one-line notes on some of them.

    There is no `best` if no evaluation has a measurement.
    """
    initial = [
        r["fitness"] for r in measured(map(dict, records)) if _stage(r, request) == "initial"
    ]
    overhead = sum(r["time"]["overhead"] for r in records)
    time = overhead + sum(r["time"]["evaluation"] for r in records)
    notes, facts = dict(NOTES), {"best fitness": "-"}
    notes["best fitness"] = "no evaluation could be measured"
    if best:
        facts["best fitness"] = f"{best['fitness']:.4f} {unit}"
        notes["best fitness"] = f"evaluation no. {best['evaluation']}"
        many, planned = len(measurements(best)), 1 + request.get("confirm", 0)
        if many > 1:
            spread_of = f"{spread(best):.4f} {unit}"
            notes["best fitness"] += f"; mean of {many} measurements, deviation {spread_of}"
        if many < planned:
            notes["best fitness"] += f"; best.yaml has it after {planned} measurements, if at all"
    facts["evaluations"] = str(len(records))
    if budget := request.get("evaluations"):
        notes["evaluations"] = f"of {budget} that were asked for"
    facts["computation time"] = _duration(time)
    facts["of it overhead"] = f"{100 * overhead / time:.1f} %" if time else "-"
    facts["evaluations repeated"] = str(len(_repeated(records)))
    # Where some fitness is below 0, the median may be near 0, and the ratio says nothing.
    if best and initial and min(initial) >= 0 and np.median(initial) > 0:
        facts["best / median initial sample"] = f"{best['fitness'] / np.median(initial):.1f}"
    ends = [str(record["time"].get("at", "")) for record in (records[0], records[-1])]
    if all(ends):
        facts["date"] = ends[0][:10]
        first, last = (at[:16].replace("T", " ") for at in ends)
        notes["date"] = f"first evaluation measured {first}, last {last} (UTC)"
    return facts, notes


def happened(records: Records, head: Mapping[str, Any]) -> list[str]:
    """Sentences on the stages of a run and on unusual events."""
    found, request = [], head.get("request", {})
    stages = STAGES | {GIVEN: _given(request)}
    for stage in dict.fromkeys(_stage(record, request) for record in records):
        members = [r["evaluation"] for r in records if _stage(r, request) == stage]
        which = f"evaluation {numbers(members)}"
        if members[-1] - members[0] >= len(members):
            which = f"{len(members)} evaluations from no. {members[0]} to no. {members[-1]}"
        found.append(f"{stages.get(stage, f'Stage {stage}:')}: {which}.")
    evolved = [r["evaluation"] for r in records if r["stage"] == "evolutionary"]
    if request.get("algorithm") == "bea":
        found.append(_handed_over(records, evolved[0]) if evolved else _never_evolved(request))
        pairs = [(one["stage"], two["stage"]) for one, two in pairwise(records)]
        again = [n for n, (before, now) in enumerate(pairs, 2) if before != now == "initial"]
        if again:
            found.append(f"Other starts of BEA began with evaluation {numbers(again)}.")
    for words, chosen in (
        ("Tried again, as it could not be trusted or was interrupted", _repeated(records)),
        ("Measured several times", [r for r in records if len(measurements(r)) > 1]),
        (
            "Servos went without pulses for a moment (`late pulses` in the log)",
            [r for r in records if r["time"].get("late pulses")],
        ),
        (
            "Measured again, doubted by the operator",  # what is skipped was not measured again
            [r for r in records if r.get("doubted") and not r.get("given_up")],
        ),
        ("Skipped or given up; it counts as the worst", [r for r in records if r.get("given_up")]),
    ):
        if chosen:
            found.append(f"{words}: evaluation {numbers(r['evaluation'] for r in chosen)}.")
    changed = (words_of_change(change) for change in head.get("changes", []))
    return found + [f"{words[:1].upper()}{words[1:]}." for words in changed]


def _stage(record: Mapping[str, Any], request: Mapping[str, Any]) -> str:
    """The stage of an evaluation; GIVEN for a candidate that the run began with."""
    given = record["evaluation"] <= len(request.get("start", []))
    return GIVEN if given and record["stage"] == "initial" else str(record["stage"])


def _given(request: Mapping[str, Any]) -> str:
    """What was done with the candidates that a run began with."""
    if "adapt" in request:
        return f"The best gait of {request['adapt']} was measured again"
    return f"The best candidates of {request.get('warm_start', 'another run')} were tried"


def _never_evolved(request: Mapping[str, Any]) -> str:
    """A sentence: BEA had no evolutionary stage, and why, if the budget is the reason."""
    options, start = request.get("options", {}), len(request.get("start", []))
    try:
        population = int(options["population"])
        least = max(int(options["initial_samples"]), population, start) + FIRST * population
        short = request["profile"] == "default" and request["evaluations"] <= least
    except (KeyError, TypeError, ValueError):
        short = False
    if short:
        return (
            f"BEA's evolutionary algorithm had no turn: a run of at most {least} evaluations is "
            "Bayesian optimization alone."
        )
    return "BEA did not hand over to its evolutionary algorithm."


def _handed_over(records: Records, first: int) -> str:
    """A sentence: BEA switched before the `first` evaluation of its EA, or took turns."""
    if any(r["evaluation"] > first and r["stage"] == "bayesian" for r in records):
        return (
            "Bayesian optimization and the evolutionary algorithm took turns from evaluation no. "
            f"{first} on."
        )
    return (
        "BEA handed over from Bayesian optimization to its evolutionary algorithm before "
        f"evaluation no. {first}."
    )


def _repeated(records: Records) -> list[Mapping[str, Any]]:
    """The evaluations with a failed or interrupted attempt."""
    return [
        record
        for record in records
        if record["attempts"] > len(measurements(record)) + len(record.get("doubted", []))
        or record["time"].get("interruptions", 0)
    ]


def numbers(found: Iterable[int]) -> str:
    """Numbers of evaluations as text that does not look like a count: no. 1 to no. 3 and no. 7."""
    each = np.array(list(found))
    runs = np.split(each, np.flatnonzero(np.diff(each) > 1) + 1)
    parts = [f"no. {r[0]}" + (f" to no. {r[-1]}" if len(r) > 1 else "") for r in runs]
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts)


def settings(head: Mapping[str, Any]) -> dict[str, str]:
    """Tables of settings, surroundings, options and versions as HTML, by title."""
    request = dict(head.get("request", {}))
    options = request.pop("options", {})
    parts = {
        "Settings": request,
        "Surroundings": head.get("surroundings", {}),
        "Options of the optimizer": options if isinstance(options, dict) else {},
        "Versions": head.get("versions", {}),
    }
    tables = {
        title: pages.pairs({str(name): _word(value) for name, value in values.items()})
        for title, values in parts.items()
        if values
    }
    return {title: f"<div class=columns>{text}</div>" for title, text in tables.items()}


def _word(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 200 else f"{text[:200]} ..."


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
