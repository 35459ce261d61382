# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a run: its settings, all evaluations and the best candidate.

run.yaml            settings, seed, versions, further arguments (arena, ...), copies of input files
evaluations.jsonl   one measurement per line (see measurements)
trajectories.jsonl  the trajectory of each measurement
best.yaml           the best candidate, as a CpgParameters message in YAML

The logs are appended to (see log.py). The YAML files are replaced as a whole (see yaml_files).
Format 1 had no checksums. Its runs can be read and resumed, and new lines have checksums.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from bea_ros.runs.folder.agreement import fit, wrong_lines
from bea_ros.runs.folder.best import BEST, best_if_any, check_best
from bea_ros.runs.folder.budgets import budgets_of, extended, is_longer
from bea_ros.runs.folder.head import (
    FORMAT,
    REQUEST,
    WITHOUT_CHECKSUMS,
    RunFolderError,
    check_same,
    read_head,
)
from bea_ros.runs.folder.inputs import Inputs, check_inputs, resumed_with
from bea_ros.runs.folder.lock import LockError, RunLock
from bea_ros.runs.folder.log import Check, Log, LogFile, Record, read_log
from bea_ros.runs.folder.measurements import REPETITION, evaluations_of
from bea_ros.runs.folder.records import (
    check_measurement,
    check_trajectory,
    record_of_trajectory,
    trajectory_of_record,
)
from bea_ros.system.files import replace_file
from bea_ros.system.yaml_files import sealed
from bea_ros.tasks import Trajectory

LOG, TRAJECTORIES = "evaluations.jsonl", "trajectories.jsonl"
CHECKS: dict[str, Check] = {LOG: check_measurement, TRAJECTORIES: check_trajectory}


def read_evaluations(folder: Path) -> list[Record]:
    """Read the evaluations of a run, in order (see `evaluations_of`).

    An incomplete last line is ignored. Raises RunFolderError.
    """
    return evaluations_of(read_measurements(folder))


def read_measurements(folder: Path) -> list[Record]:
    """Read the lines of a run's log; raises RunFolderError, also if the log was emptied."""
    head = read_head(folder)
    best = best_if_any(folder)  # before the log: a learner writes it after its line
    lines = _undamaged(folder, LOG, head).records
    if best and (lines or (folder / LOG).exists()):
        check_best(folder, best, evaluations_of(lines))
    if not lines and (paths := len(check_log(folder, TRAJECTORIES, head).records)) > 1:
        raise RunFolderError(f"{folder / LOG} has no line, {TRAJECTORIES} has {paths}")
    return lines


def read_trajectories(folder: Path) -> dict[int, Trajectory]:
    """Read the last stored trajectory of each evaluation, by its number."""
    records = _undamaged(folder, TRAJECTORIES, read_head(folder)).records
    return {record["evaluation"]: trajectory_of_record(record) for record in records}


def read_motions(folder: Path) -> dict[int, Trajectory]:
    """Read the trajectory with which each evaluation was first measured, by its number.

    One that was corrected has that of the correction. One that was skipped, or lacks a trajectory,
    has none.
    """
    found: dict[int, Trajectory] = {}
    head = read_head(folder)
    log, paths = _undamaged(folder, LOG, head), _undamaged(folder, TRAJECTORIES, head)
    for line, record in fit(log, paths).pairs(log, paths):
        if line.get("kind") == REPETITION:
            continue
        found.pop(line["evaluation"], None)
        if not line.get("given_up", False):
            found[line["evaluation"]] = trajectory_of_record(record)
    return found


def check_log(folder: Path, name: str, head: Mapping[str, Any] | None) -> Log:
    """Read LOG or TRAJECTORIES of a run with this head, and its damage; raises RunFolderError."""
    checksums = not head or head["format"] != WITHOUT_CHECKSUMS
    try:
        return read_log(folder / name, CHECKS[name], checksums)
    except OSError as error:
        raise RunFolderError(f"{folder / name} cannot be read: {error.strerror}") from error


class RunFolder:
    """A run folder open for writing, by one process at a time."""

    def __init__(
        self,
        path: Path,
        request: Mapping[str, Any],
        versions: Mapping[str, str],
        surroundings: Mapping[str, Any] | None = None,
        files: Inputs | None = None,
        accepted: Collection[str] = (),
    ) -> None:
        """Create the folder, or open it to resume the run.

        Args:
            path: the folder.
            request: settings that determine the log. A larger number of evaluations extends the
                run.
            versions: versions of the software.
            surroundings: further arguments, which a resumed run need not repeat: arena, parameter
                file, camera, ...
            files: contents of the input files.
            accepted: arguments whose files may differ from those of the run.

        Raises:
            RunFolderError: the folder cannot be written, is in use, is damaged, or has another
                run.
        """
        self.path = path
        with self._writing():
            path.mkdir(parents=True, exist_ok=True)
            self._lock = RunLock(path)
        surroundings, files = dict(surroundings or {}), files or {}
        self.changes: list[str] = []
        try:
            before = read_head(path)
            if before is None:
                self.budgets, self.lines = budgets_of(request), self._open(None)
                asked = {"request": dict(request), "versions": dict(versions)}
                more = {"surroundings": surroundings, "files": files}
                found = {name: value for name, value in more.items() if value}
                self._head: dict[str, Any] = {"format": FORMAT, **asked, **found}
            else:
                self._resume(before, request, versions, surroundings, files, accepted)
            # It is written with the next evaluation, so an aborted start leaves no folder.
            self._new_head = self._head is not before
        except BaseException:
            self.close()
            raise

    def _resume(
        self,
        before: dict[str, Any],
        request: Mapping[str, Any],
        versions: Mapping[str, str],
        surroundings: Mapping[str, Any],
        files: Inputs,
        accepted: Collection[str],
    ) -> None:
        """Go on with the run of the head `before`; raises RunFolderError if it is another one."""
        longer = is_longer(before["request"], request)
        planned = ("budgets", "evaluations") if longer else ("budgets",)
        kept = {name: v for name, v in before["request"].items() if name in planned}
        check_same(self.path, before["request"], {**request, **kept})
        self.budgets = budgets_of(before["request"])
        if files:
            check_inputs(self.path, before, files, accepted)
        self.lines, self._head = self._open(before), before
        number = len(self.evaluations) + 1
        if files:
            self._head, self.changes = resumed_with(before, files, surroundings, versions, number)
        if longer:
            self._head, change = extended(self._head, request, number)
            self.changes.append(change)
            self.budgets = budgets_of(self._head["request"])

    @property
    def evaluations(self) -> list[Record]:
        """The evaluations so far (see `evaluations_of`)."""
        return evaluations_of(self.lines)

    @property
    def kept(self) -> bool:
        """Whether the logs are still there and have their size."""
        return self._log.kept and self._trajectories.kept

    def append(self, record: Mapping[str, Any], trajectory: Trajectory) -> None:
        """Write a measurement to disk; it is recorded when this returns.

        Raises RunFolderError if that fails; the folder is then unchanged.
        """
        with self._writing():
            if self._new_head:
                self._replace(REQUEST, sealed(self._head))
                self._new_head = False
            before = self._trajectories.place
            self._trajectories.append(record_of_trajectory(record["evaluation"], trajectory))
            try:
                self._log.append(record)
            except (OSError, ValueError):
                with contextlib.suppress(OSError):
                    self._trajectories.cut(before)
                raise
            if not os.path.exists(self.path / REQUEST):  # somebody removed it
                self._replace(REQUEST, sealed(self._head))
        self.lines.append(dict(record))

    @property
    def doubted(self) -> bool:
        """Whether the operator doubts the last measurement, which is to be made again."""
        return bool(self._head.get("doubted") == self._log.place.crc)

    def doubt(self) -> None:
        """Write to disk that the operator doubts the last measurement."""
        with self._writing():
            self._head = {**self._head, "doubted": self._log.place.crc}
            self._replace(REQUEST, sealed(self._head))

    def write_best(self, message: Mapping[str, Any], remark: str) -> None:
        """Replace best.yaml by a CpgParameters message, with `remark` as a comment above it."""
        with self._writing():
            self._replace(BEST, sealed(dict(message), remark))

    def remove_best(self) -> None:
        """Remove best.yaml, as no candidate has a measurement any more."""
        with self._writing():
            (self.path / BEST).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the files, and release the lock."""
        self._lock.close()

    def _open(self, head: dict[str, Any] | None) -> list[Record]:
        """Open the logs after their last valid records; return the measurements."""
        log = _undamaged(self.path, LOG, head)
        if log.records and not head:
            raise RunFolderError(f"{self.path} has evaluations, but no {REQUEST}")
        paths = _undamaged(self.path, TRAJECTORIES, head)
        fitting = fit(log, paths)
        if fitting.wrong:
            raise RunFolderError(
                f"{self.path / TRAJECTORIES}: line {fitting.kept + 1}: {fitting.wrong}"
            )
        request = (head or {}).get("request", {})
        for wrong in wrong_lines(fitting, log, paths, request):
            raise RunFolderError(f"{self.path / LOG}: {wrong}")
        if best := best_if_any(self.path):  # it is written again
            check_best(self.path, best, evaluations_of(log.records))
        with self._writing():
            self._log = LogFile(self.path / LOG, log.place(len(log.records)))
            self._trajectories = LogFile(self.path / TRAJECTORIES, paths.place(fitting.kept))
        return log.records

    def _replace(self, name: str, content: bytes) -> None:
        # A folder that was removed does not come back: what was in it is lost.
        replace_file(self.path / name, content, create_folder=False)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except LockError as error:
            raise RunFolderError(str(error)) from error
        except OSError as error:
            raise RunFolderError(f"cannot write to {self.path}: {error.strerror}") from error


def _undamaged(folder: Path, name: str, head: dict[str, Any] | None) -> Log:
    log = check_log(folder, name, head)
    for number, reason in log.damage:
        raise RunFolderError(f"{folder / name}: line {number} is damaged: {reason}")
    return log
