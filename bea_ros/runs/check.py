# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Verifies the folder of a run, and cuts off what a power cut left of its last records."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from pathlib import Path

from bea_ros.runs.folder import (
    BEST,
    LOG,
    REQUEST,
    TRAJECTORIES,
    RunFolderError,
    check_log,
    read_best,
    read_evaluations,
    read_request,
)
from bea_ros.runs.lock import LockError, RunLock
from bea_ros.runs.log import LogFile
from bea_ros.runs.measurements import best_of, measurements


def check_run(folder: Path) -> int:
    """Say what state a run is in, and mend a torn last record; nothing else is changed.

    Returns 0 if it is good, 1 if damage is left. Raises RunFolderError if it is no run.
    """
    if not any((folder / name).exists() for name in (REQUEST, LOG)):
        raise RunFolderError(f"{folder} is not the folder of a run")
    lock = None
    try:
        lock = RunLock(folder)
    except LockError as error:
        print(f"{error}: checked, not repaired")
    except OSError as error:
        print(f"{folder} cannot be written ({error.strerror}): checked, not repaired")
    try:
        damaged = 0
        for line, good in _findings(folder, repair=lock is not None):
            print(f"{'ok     ' if good else 'DAMAGED'}  {line}")
            damaged += not good
    finally:
        if lock:
            lock.close()
    print("damage is left as it is" if damaged else _next_step(folder))
    return 1 if damaged else 0


def _next_step(folder: Path) -> str:
    """What to type for a run without damage."""
    typed = shlex.quote(str(folder))
    request, records = read_request(folder) or {}, read_evaluations(folder)
    best = best_of(records)
    confirmed = best is not None and len(measurements(best)) > request.get("confirm", 0)
    if confirmed and len(records) >= request.get("evaluations", math.inf):
        return f"the run is finished: bea report {typed}"
    return f"the run can go on: bea learn --output {typed}"


def _findings(folder: Path, repair: bool) -> Iterator[tuple[str, bool]]:
    """What is found in each file, in words, and whether it is good."""
    try:
        request = read_request(folder)
    except RunFolderError as error:
        yield str(error), False
        return  # what the logs must look like is not known
    yield (
        (f"{REQUEST}: {request['robot']}, {request['task']}", True)
        if request and {"robot", "task"} <= set(request)
        else (f"{folder / REQUEST} is missing or says not what was asked", False)
    )
    for name, what in ((LOG, "measurements"), (TRAJECTORIES, "trajectories")):
        yield from _log_findings(folder, name, what, repair)
    yield _best_finding(folder)


def _log_findings(folder: Path, name: str, what: str, repair: bool) -> Iterator[tuple[str, bool]]:
    log = check_log(folder, name)
    for number, reason in log.damage:
        yield f"{folder / name}: line {number}: {reason}", False
    if not log.torn:
        yield f"{name}: {len(log.records)} {what}", True
    elif log.damage or not repair:
        yield f"{name}: {len(log.records)} {what}, and {log.torn} bytes of a torn one", True
    else:
        LogFile(folder / name, log.ends[-1] if log.ends else 0)
        yield (
            f"{name}: {len(log.records)} {what}; {log.torn} bytes of a torn one were cut off",
            True,
        )


def _best_finding(folder: Path) -> tuple[str, bool]:
    """best.yaml is no worse for damage than for being old: a run that goes on writes it anew."""
    try:
        best = read_best(folder)
    except RunFolderError as error:
        if best_of(read_evaluations(folder)) is None:
            return f"{BEST}: none, as nothing was measured", True
        return f"{error} (bea learn writes {BEST} anew)", False
    if best["evaluation"] not in {r["evaluation"] for r in check_log(folder, LOG).records}:
        return f"{BEST}: of evaluation {best['evaluation']}, which the log does not have", True
    return f"{BEST}: evaluation {best['evaluation']}", True
