# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Carries out a run in its own process, so that its memory can be measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bea_ros.studies.optimizers import measure
from bea_ros.studies.optimizers.measure import Run
from bea_ros.system.files import read_whole

GRACE = 60.0  # a run is killed this many s after ten times its limit
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def execute(run: Run, folder: Path) -> None:
    """Carry out a run, unless `folder` has its file; a run with an error is repeated."""
    done = read(run, folder)
    if done and not done["error"]:
        return
    folder.mkdir(parents=True, exist_ok=True)
    answer = folder / f"{run.name}.json"
    command = [sys.executable, "-m", measure.__name__, json.dumps(asdict(run)), str(answer)]
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
    try:
        ended = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False,
            timeout=10 * run.limit + GRACE,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"{run.name}: killed, as it did not end at its limit", file=sys.stderr)
        return
    if not answer.exists():
        last = (ended.stderr.strip().splitlines() or ["no output"])[-1]
        print(f"{run.name}: {last}", file=sys.stderr)


def read(run: Run, folder: Path) -> dict[str, Any] | None:
    """Result of a run, None if it is not finished.

    Raises ValueError for a damaged file, or one of a run with other settings.
    """
    path = folder / f"{run.name}.json"
    if not path.exists():
        return None
    try:
        found: dict[str, Any] = json.loads(read_whole(path))
    except ValueError as error:
        raise ValueError(f"{path} is damaged: remove it to repeat the run") from error
    for name, value in asdict(run).items():
        if found.get(name) != value:
            raise ValueError(
                f"{path} is of a run with {name} {found.get(name)!r}, not {value!r}: "
                "choose another --output"
            )
    return found
