# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Verifies the folder of a run, and removes a last record that a power cut left incomplete."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bea_ros.runs.folder.agreement import fit, wrong_best, wrong_lines
from bea_ros.runs.folder.best import BEST, read_best
from bea_ros.runs.folder.head import REQUEST, WITH_GAPS, RunFolderError, read_head
from bea_ros.runs.folder.inputs import words_of_change
from bea_ros.runs.folder.lock import LockError, RunLock
from bea_ros.runs.folder.log import Log, LogFile
from bea_ros.runs.folder.measurements import best_of, evaluations_of, is_finished
from bea_ros.runs.folder.run_folder import LOG, TRAJECTORIES, check_log, read_evaluations
from bea_ros.runs.origin import wrong_origin
from bea_ros.system.terminal import first_few


def check_run(folder: Path) -> int:
    """Print the state of a run, and remove an incomplete last record. Nothing else changes.

    Returns 0 if the run is undamaged, else 1. Raises RunFolderError if it is not a run.
    """
    if not any((folder / name).exists() for name in (REQUEST, LOG)):
        raise RunFolderError(f"{folder} is not the folder of a run")
    damaged, busy, repair = 0, False, False
    with ExitStack() as held:
        try:
            held.callback(RunLock(folder).close)
            repair = True
        except LockError as error:
            busy = True
            print(f"{error}: checked, not repaired")
        except OSError as error:
            print(f"{folder} cannot be written ({error.strerror}): checked, not repaired")
        for line, good in findings(folder, repair):
            print(f"{'ok     ' if good else 'DAMAGED'}  {line}")
            damaged += not good
    print(_remedy(folder) if damaged else _next_step(folder, busy))
    return 1 if damaged else 0


def _remedy(folder: Path) -> str:
    """The command that helps with a damaged run."""
    typed = shlex.quote(str(folder))
    try:
        told = read_head(folder, changed=True) is not None
    except RunFolderError:
        told = False
    if not told:
        return (
            f"damage is left as it is: only {REQUEST} says which robot and task it was. "
            "Put a copy back, or that of a run with the same settings"
        )
    if _wrong_origin(folder):
        return f"damage is left as it is: put back the {REQUEST} or the {LOG} of this run"
    return (
        f"damage is left as it is: bea doctor {typed} --salvage puts all that is good into a new "
        "folder, from which the run resumes"
    )


def _next_step(folder: Path, busy: bool) -> str:
    """The next command for an undamaged run, which somebody uses now if it is `busy`."""
    typed = shlex.quote(str(folder))
    if busy:
        return f"the run is under way: bea report {typed} shows what it has"
    head = read_head(folder) or {}
    if head.get("salvaged") == WITH_GAPS:
        return f"no run resumes from this: measurements in between are gone. {with_gaps(folder)}"
    if is_finished(head.get("request", {}), read_evaluations(folder)):
        return f"the run is finished: bea report {typed}"
    return f"the run can be resumed: bea learn --output {typed}"


def with_gaps(folder: Path) -> str:
    """What can be done with a salvaged folder whose measurements have gaps."""
    typed = shlex.quote(str(folder))
    return (
        f"See all: bea report {typed}; try the best: bea replay {typed}; begin another run with "
        f"the best: bea learn --output ANOTHER --warm-start {typed}"
    )


def findings(folder: Path, repair: bool) -> Iterator[tuple[str, bool]]:
    """Yield a finding for each file, and whether it is good."""
    try:
        head = read_head(folder) or {}
    except RunFolderError as error:
        yield str(error), False
        return  # without it the logs cannot be checked
    request = head.get("request", {})
    yield (
        (f"{REQUEST}: {request['robot']}, {request['task']}", True)
        if {"robot", "task"} <= set(request)
        else (f"{folder / REQUEST} is missing, or names no robot and task", False)
    )
    for change in head.get("changes", []):
        yield f"{REQUEST}: {words_of_change(change)}", True
    log, paths = (check_log(folder, name, head) for name in (LOG, TRAJECTORIES))
    yield from _log_findings(folder / LOG, log, "measurements", repair)
    yield from _log_findings(folder / TRAJECTORIES, paths, "trajectories", repair)
    if not (log.damage or paths.damage):
        yield from _agreement_findings(folder, log, paths, request)
    if wrong := _wrong_origin(folder):
        yield f"{folder / LOG}: it is not of this run: {wrong}", False
    yield _best_finding(folder, log)


def _log_findings(path: Path, log: Log, what: str, repair: bool) -> Iterator[tuple[str, bool]]:
    for line in first_few([f"{path}: line {number}: {why}" for number, why in log.damage]):
        yield line, False
    found = f"{path.name}: {len(log.records)} {what}"
    if log.torn and repair and not log.damage:
        LogFile(path, log.place(len(log.records)))
        found += f"; {log.torn} bytes of a torn one were cut off"
        log.torn = 0
    elif log.torn:
        found += f", and {log.torn} bytes of a torn one"
    yield found, True


def _agreement_findings(
    folder: Path, log: Log, paths: Log, request: Mapping[str, Any]
) -> Iterator[tuple[str, bool]]:
    fitting = fit(log, paths)
    if fitting.wrong:
        yield f"{folder / TRAJECTORIES}: line {fitting.kept + 1}: {fitting.wrong}", False
    elif fitting.kept < len(paths.records):
        yield f"{TRAJECTORIES}: the last is of a measurement that never came to the log", True
    elif fitting.missing:
        some = ", ".join(map(str, fitting.missing[:5])) + ", ..." * (len(fitting.missing) > 5)
        yield f"{TRAJECTORIES}: none of {len(fitting.missing)} measurements: {some}", True
    wrong = wrong_lines(fitting, log, paths, request)
    for told in first_few([f"{folder / LOG}: {one}" for one in wrong]):
        yield told, False


def _wrong_origin(folder: Path) -> str:
    """Say why the log is not of this run; empty if it can be, or run.yaml or log is damaged."""
    try:
        head = read_head(folder)
        log = check_log(folder, LOG, head)
    except RunFolderError:
        return ""
    return "" if log.damage or not head else wrong_origin(head, evaluations_of(log.records))


def _best_finding(folder: Path, log: Log) -> tuple[str, bool]:
    """Check best.yaml. An outdated one is no damage: a resumed run writes it again."""
    evaluations = [] if log.damage else evaluations_of(log.records)
    better = best_of(evaluations)
    try:
        best = read_best(folder)
    except RunFolderError as error:
        if better is None and not (log.damage or (folder / BEST).exists()):
            return f"{BEST}: none, as nothing was measured", True
        return f"{error} (bea learn writes {BEST} again)", False
    if log.damage:
        return f"{BEST}: evaluation {best['evaluation']}; the log is damaged", True
    if wrong := wrong_best(best, evaluations):
        return f"{folder / BEST}: {wrong}", False
    if better and better["evaluation"] != best["evaluation"]:
        newer = f"the log has a better one, {better['evaluation']} (bea learn writes it again)"
        return f"{BEST}: evaluation {best['evaluation']}; {newer}", True
    return f"{BEST}: evaluation {best['evaluation']}", True
