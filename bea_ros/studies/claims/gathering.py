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
from bea_ros.studies.engine.results import Results


def own_studies(study: CurveStudy, folder: Path, profile: str) -> list[Results]:
    """Studies of a profile without options in a folder, the longest first."""
    found = [study.load(path.parent) for path in sorted(folder.glob(f"{profile}*/{SETTINGS}"))]
    own = [r for r in found if r.settings["profile"] == profile and not r.settings.get("options")]
    return sorted(own, key=lambda results: results.settings["evaluations"], reverse=True)


def together(studies: Sequence[Results]) -> Results:
    """The first of the studies with the runs of those algorithms that only later ones have.

    What the runs of a published profile do does not depend on how long they are to be, so that
    runs of different lengths can be compared up to the end of the shorter.
    Raises ValueError where studies differ in more than their length.
    """
    first, *others = studies
    for other in others:
        for name in ("dimension", "switch", "duration", "motor"):
            if other.settings.get(name) != first.settings.get(name):
                raise ValueError(f"studies of {first.settings['profile']} differ in {name}")
        new = [name for name in other.algorithms if name not in first.algorithms]
        runs: list[Any] = [run for run in other.results if run.algorithm in new]
        first = replace(
            first, algorithms=[*first.algorithms, *new], results=[*first.results, *runs]
        )
    return first
