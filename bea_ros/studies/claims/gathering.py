# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""All studies of a profile as one: BO, which costs most, may have a shorter one of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bea_ros.studies.engine.curves import CurveStudy
from bea_ros.studies.engine.data import SETTINGS
from bea_ros.studies.engine.plan import options_of
from bea_ros.studies.engine.results import Results

PROFILES = {"paper": "as printed", "released": "as released"}


def by_reading(study: CurveStudy, folder: Path) -> dict[str, Results]:
    """The studies of a folder by the reading of the paper that they are of, each as one."""
    found: dict[str, list[Results]] = {}
    for path in sorted(folder.glob(f"*/{SETTINGS}")):
        results = study.load(path.parent)
        if results.settings["profile"] in PROFILES:
            found.setdefault(reading_of(results), []).append(results)
    for studies in found.values():
        studies += _same_ea(studies[0], found.get(PROFILES[studies[0].settings["profile"]], []))
    order = sorted(found, key=lambda name: (name not in PROFILES.values(), name))
    return {
        name: together(sorted(found[name], key=lambda r: -r.settings["evaluations"]))
        for name in order
    }


def _same_ea(reading: Results, own: Sequence[Results]) -> list[Results]:
    """The EA's runs of the profile as it is, where it has none of a reading's options."""
    s = reading.settings
    if not s.get("options") or options_of(s["options"], "ea", s["profile"]):
        return []
    return [
        replace(one, algorithms=["ea"], results=[r for r in one.results if r.algorithm == "ea"])
        for one in own
        if "ea" in one.algorithms
    ]


def reading_of(results: Results) -> str:
    """Profile, options and motor, in words."""
    s = results.settings
    motor = s.get("motor", "revolve")
    words = (PROFILES[s["profile"]], s.get("options", ""), f"motor {motor}")
    return ", ".join(word for word in words if word and word != "motor revolve")


def together(studies: Sequence[Results]) -> Results:
    """The first of the studies with the runs of those algorithms that only later ones have.

    What the runs of a published profile do does not depend on how long they are to be, so that
    runs of different lengths can be compared up to the end of the shorter.
    Raises ValueError where studies differ in more than their length.
    """
    first, *others = studies
    for other in others:
        for name in ("dimension", "switch", "duration"):
            if other.settings.get(name) != first.settings.get(name):
                raise ValueError(f"studies of {first.settings['profile']} differ in {name}")
        new = [name for name in other.algorithms if name not in first.algorithms]
        runs: list[Any] = [run for run in other.results if run.algorithm in new]
        first = replace(
            first, algorithms=[*first.algorithms, *new], results=[*first.results, *runs]
        )
    return first
