# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Merges the studies of a profile: BO, which costs most, may have its own shorter study."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bea_ros.studies.engine.curves import CurveStudy
from bea_ros.studies.engine.data import SETTINGS, read_settings, read_table
from bea_ros.studies.engine.plan import options_of
from bea_ros.studies.engine.results import Results
from bea_ros.studies.engine.statistics import mann_whitney

READING = ["profile", "options", "function", "evaluations", "runs", "switch", "end", "p"]
PROFILES = {"paper": "as printed", "released": "as released"}


def published(study: CurveStudy, folder: Path) -> list[Results]:
    """The studies in a folder that use a published profile."""
    found = [study.load(path.parent) for path in sorted(folder.glob(f"*/{SETTINGS}"))]
    return [results for results in found if results.settings["profile"] in PROFILES]


def tables(folder: Path, name: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Reading and numbers of each study that uses a published profile and has this CSV file."""
    for path in sorted(folder.glob(f"*/{name}")):
        settings, _ = read_settings(path.parent)
        if settings["profile"] in PROFILES:
            yield reading_of(settings), read_table(path).apply(pd.to_numeric, errors="coerce")


def by_reading(studies: Sequence[Results]) -> dict[str, Results]:
    """The studies merged by reading of the paper."""
    found: dict[str, list[Results]] = {}
    for results in studies:
        found.setdefault(reading_of(results.settings), []).append(results)
    for alike in found.values():
        plain = reading_of({**alike[0].settings, "options": ""})
        alike += _same_ea(alike[0], found.get(plain, []))
    order = sorted(found, key=lambda name: (name not in PROFILES.values(), name))
    return {
        name: together(sorted(found[name], key=lambda r: -r.settings["evaluations"]))
        for name in order
    }


def _same_ea(reading: Results, own: Sequence[Results]) -> list[Results]:
    """The EA's runs of the plain profile, if none of a reading's options concerns the EA."""
    s = reading.settings
    if not s.get("options") or options_of(s["options"], "ea", s["profile"]):
        return []
    return [
        replace(one, algorithms=["ea"], results=[r for r in one.results if r.algorithm == "ea"])
        for one in own
        if "ea" in one.algorithms
    ]


def reading_of(settings: Mapping[str, Any]) -> str:
    """Profile, options and motor, in words."""
    motor = settings.get("motor", "revolve")
    words = (PROFILES[settings["profile"]], settings.get("options", ""), f"motor {motor}")
    return ", ".join(word for word in words if word and word != "motor revolve")


def together(studies: Sequence[Results]) -> Results:
    """The first study, with the runs of algorithms that only later studies have.

    Runs of a published profile do not depend on their planned length. So runs of different
    lengths can be compared up to the end of the shorter one. Raises ValueError if studies differ
    in more than their length.
    """
    first, *others = studies
    for other in others:
        for name in ("dimension", "switch", "duration", "noise"):
            if other.settings.get(name) != first.settings.get(name):
                raise ValueError(f"studies of {first.settings['profile']} differ in {name}")
        new = [name for name in other.algorithms if name not in first.algorithms]
        runs: list[Any] = [run for run in other.results if run.algorithm in new]
        first = replace(
            first, algorithms=[*first.algorithms, *new], results=[*first.results, *runs]
        )
    return first


def readings(studies: Sequence[Results]) -> pd.DataFrame:
    """Other readings of what the paper leaves open: BEA's mean f on each function at the switch
    and at the end, and p of the end against the profile's own reading (NaN for that one).

    A study with options is compared with the study without options of equal length.
    """
    order = list(PROFILES)
    own: dict[tuple[str, int, str], list[float]] = {}
    kinds = [(r.settings.get("options", ""), r.settings["profile"], r.settings["evaluations"], r)
             for r in studies]  # fmt: skip
    kinds.sort(key=lambda kind: (order.index(kind[1]), kind[0]))
    wanted = {kind[1:3] for kind in kinds if kind[0]}
    rows = []
    for options, profile, evaluations, results in kinds:
        for case in results.cases if (profile, evaluations) in wanted else ():
            if not (runs := results.of(case, "bea")):
                continue
            key = (profile, evaluations, case[0])
            end = [run.final for run in runs]
            p = mann_whitney(end, own[key]) if options and key in own else math.nan
            if not options:
                own[key] = end
            switch = np.mean([run.after(results.settings["switch"]) for run in runs])
            rows.append(
                (profile, options or "as it is", case[0], evaluations, len(runs), switch,
                 np.mean(end), p)
            )  # fmt: skip
    return pd.DataFrame(rows, columns=READING)
