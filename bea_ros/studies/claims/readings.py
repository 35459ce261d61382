# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the paper leaves open, read in other ways: BEA's mean f in each study of a reading."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bea_ros.studies.claims.lines import after
from bea_ros.studies.engine.data import SETTINGS
from bea_ros.studies.engine.results import Results
from bea_ros.studies.engine.statistics import mann_whitney
from bea_ros.studies.functions.study import FunctionStudy

PUBLISHED = ("paper", "released")


@dataclass(frozen=True)
class Reading:
    """BEA on a function by one reading: mean f at the switch and in the end, and the p of the end
    against the profile's own reading, NaN for that one.
    """

    profile: str
    options: str
    function: str
    evaluations: int
    runs: int
    switch: float
    end: float
    p: float


def readings(folder: Path) -> Iterator[Reading]:
    """Those of every study of a published profile in the folder, the profile's own first.

    A study with options is compared with the one without that has as many evaluations.
    """
    own: dict[tuple[str, int, str], list[float]] = {}
    studies = sorted(_studies(folder), key=_order)
    wanted = {_length(results) for results in studies if results.settings.get("options")}
    for results in studies:
        profile, evaluations = _length(results)
        options = results.settings.get("options", "")
        for case in results.cases if (profile, evaluations) in wanted else ():
            if not (runs := results.of(case, "bea")):
                continue
            key = (profile, evaluations, case[0])
            end = [run.final for run in runs]
            p = mann_whitney(end, own[key]) if options and key in own else math.nan
            if not options:
                own[key] = end
            at = float(np.mean(after(runs, results.settings["switch"])))
            yield Reading(
                profile, options or "as it is", case[0], evaluations, len(runs), at,
                float(np.mean(end)), p,
            )  # fmt: skip


def _length(results: Results) -> tuple[str, int]:
    return results.settings["profile"], results.settings["evaluations"]


def _studies(folder: Path) -> Iterator[Results]:
    for path in sorted(folder.glob(f"*/{SETTINGS}")):
        results = FunctionStudy().load(path.parent)
        if results.settings["profile"] in PUBLISHED:
            yield results


def _order(results: Results) -> tuple[int, str]:
    settings = results.settings
    return PUBLISHED.index(settings["profile"]), settings.get("options", "")
