# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The best candidate of a run, in best.yaml."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bea_ros.runs.folder.agreement import wrong_best
from bea_ros.runs.folder.head import WITHOUT_CHECKSUMS, RunFolderError, read_head, read_sealed
from bea_ros.runs.folder.log import Record
from bea_ros.runs.folder.records import is_finite

BEST = "best.yaml"


def read_best(folder: Path) -> dict[str, Any]:
    """Read the best candidate: evaluation, robot, names, values; raises RunFolderError."""
    path = folder / BEST
    if (found := read_sealed(path)) is None:
        why = "no evaluation is done, or it was removed"
        raise RunFolderError(f"{folder} has no best.yaml: {why}")
    best, intact = found
    head = read_head(folder)
    if intact is None and head:
        intact = head["format"] == WITHOUT_CHECKSUMS
    if intact is False:
        raise RunFolderError(f"{path} was damaged or changed after it was written")
    keys = {"evaluation", "robot", "names", "values"}
    if (
        not isinstance(best, dict)
        or not keys <= set(best)
        or not isinstance(best["evaluation"], int)
    ):
        raise RunFolderError(f"{path} holds no candidate")
    names, values = best["names"], best["values"]
    if not isinstance(names, list) or not isinstance(values, list) or len(names) != len(values):
        raise RunFolderError(f"{path}: names and values must be lists of one length")
    if not all(isinstance(name, str) for name in names) or not all(map(is_finite, values)):
        raise RunFolderError(f"{path}: names must be words and values finite numbers")
    return best


def check_best(folder: Path, best: Mapping[str, Any], evaluations: list[Record]) -> None:
    """Raise RunFolderError if the best candidate is not one of these evaluations."""
    if wrong := wrong_best(best, evaluations):
        raise RunFolderError(f"{folder / BEST}: {wrong}")


def best_if_any(folder: Path) -> dict[str, Any]:
    """The best candidate; empty if there is none, or it is damaged."""
    with contextlib.suppress(RunFolderError):
        return read_best(folder)
    return {}
