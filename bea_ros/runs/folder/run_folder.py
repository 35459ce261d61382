# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a run: what was asked, every evaluation, the best candidate.

run.yaml            what was asked, seed, versions, surroundings (arena, ...), what its files held
evaluations.jsonl   one measurement a line; a line that is there counts (see measurements)
trajectories.jsonl  the poses of each of them, for the report
best.yaml           the best candidate, as a CpgParameters message in YAML

The logs are appended to (see log.py), the YAML files replaced whole (see yaml_files). Format 1
had no checksums; its runs are read and resumed, and what is added has them.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from bea_ros.runs.folder.agreement import fit, wrong_best
from bea_ros.runs.folder.budgets import budgets_of, extended, is_longer
from bea_ros.runs.folder.head import (
    FORMAT,
    REQUEST,
    WITHOUT_CHECKSUMS,
    RunFolderError,
    check_same,
    read_head,
)
from bea_ros.runs.folder.inputs import Inputs, changes_of, check_inputs, resumed_with, words_of
from bea_ros.runs.folder.lock import LockError, RunLock
from bea_ros.runs.folder.log import Check, Log, LogFile, Record, read_log
from bea_ros.runs.folder.measurements import evaluations_of
from bea_ros.runs.folder.records import (
    check_measurement,
    check_trajectory,
    is_finite,
    record_of_trajectory,
    trajectory_of,
)
from bea_ros.system.files import replace_file
from bea_ros.system.yaml_files import (
    YamlFileError,
    is_intact,
    parse_yaml,
    read_bytes,
    sealed,
)
from bea_ros.tasks import Trajectory

LOG, TRAJECTORIES, BEST = "evaluations.jsonl", "trajectories.jsonl", "best.yaml"
CHECKS: dict[str, Check] = {LOG: check_measurement, TRAJECTORIES: check_trajectory}


def read_evaluations(folder: Path) -> list[Record]:
    """The evaluations of a run in order, as `evaluations_of` puts them together.

    A torn last line does not count. Raises RunFolderError.
    """
    return evaluations_of(read_measurements(folder))


def read_measurements(folder: Path) -> list[Record]:
    """The lines of a run's log; raises as `read_evaluations`."""
    return _undamaged(folder, LOG, read_head(folder)).records


def read_trajectories(folder: Path) -> dict[int, Trajectory]:
    """Trajectories by number of evaluation, the last of each, as far as they were stored."""
    records = _undamaged(folder, TRAJECTORIES, read_head(folder)).records
    return {record["evaluation"]: trajectory_of(record) for record in records}


def read_best(folder: Path) -> dict[str, Any]:
    """The best candidate: evaluation, robot, names, values; raises RunFolderError."""
    path = folder / BEST
    try:
        content = read_bytes(path)
        best = parse_yaml(content, path)
    except (FileNotFoundError, NotADirectoryError):
        raise RunFolderError(f"{folder} has no best.yaml: nothing was learned there") from None
    except YamlFileError as error:
        raise RunFolderError(str(error)) from error
    head = read_head(folder)
    intact = is_intact(content)
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
    """Raise RunFolderError for a best candidate that is not one of these evaluations."""
    if wrong := wrong_best(best, evaluations):
        raise RunFolderError(f"{folder / BEST}: {wrong}")


def check_log(folder: Path, name: str) -> Log:
    """What is in LOG or TRAJECTORIES of a run, damage included; raises RunFolderError."""
    return _check_log(folder, name, read_head(folder))


def _check_log(folder: Path, name: str, head: dict[str, Any] | None) -> Log:
    checksums = head is None or head["format"] != WITHOUT_CHECKSUMS
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
        """Make the folder, or open it to resume.

        `surroundings` are what a run may be resumed without: arena, parameter file, camera, ...
        `files` are what its files hold; those `accepted` may hold something else than before.
        `changes` says what does. A `request` for more evaluations extends the run; `budgets` has
        how many were planned, each with the evaluation from which on they were.

        Raises RunFolderError if it cannot be written, is in use, damaged, or of another run.
        """
        self.path = path
        with self._writing():
            path.mkdir(parents=True, exist_ok=True)
            self._lock = RunLock(path)
        try:
            # Written with the first evaluation: a run that never began leaves nothing behind.
            before = read_head(path)
            self._head: dict[str, Any] | None = None
            self.changes: list[str] = []
            longer = before is not None and is_longer(before["request"], request)
            if before:
                planned = {"budgets", *(["evaluations"] if longer else [])} & set(
                    before["request"]
                )
                kept = {name: before["request"][name] for name in planned}
                check_same(path, before["request"], {**request, **kept})
            self.budgets = budgets_of(before["request"] if before else request)
            if before and files:
                check_inputs(path, before, files, accepted)
            self.lines = self._open(before)
            if not before:
                asked = {"request": dict(request), "versions": dict(versions)}
                more = {"surroundings": dict(surroundings or {}), "files": files or {}}
                found = {name: value for name, value in more.items() if value}
                self._head = {"format": FORMAT, **asked, **found}
                return
            number = len(self.evaluations) + 1
            if files:
                self.changes = words_of(changes_of(before, files, versions))
                now = resumed_with(before, files, surroundings or {}, versions, number)
                self._head = now if self.changes or "files" not in before else None
            if longer:
                self._head, change = extended(self._head or before, request, number)
                self.changes.append(change)
                self.budgets = budgets_of(self._head["request"])
        except BaseException:
            self.close()
            raise

    @property
    def evaluations(self) -> list[Record]:
        """The evaluations so far, as `evaluations_of` puts them together."""
        return evaluations_of(self.lines)

    @property
    def kept(self) -> bool:
        """Whether nobody removed or cut the logs meanwhile."""
        return self._log.kept and self._trajectories.kept

    def append(self, record: Mapping[str, Any], trajectory: Trajectory) -> None:
        """Put a measurement on disk; when this returns, it counts.

        Raises RunFolderError if it does not get there; then the folder is as before.
        """
        with self._writing():
            if self._head:
                self._check_there()
                replace_file(self.path / REQUEST, sealed(self._head))
                self._head = None
            before = self._trajectories.place
            self._trajectories.append(record_of_trajectory(record["evaluation"], trajectory))
            try:
                self._log.append(record)
            except (OSError, ValueError):
                with contextlib.suppress(OSError):
                    self._trajectories.cut(before)
                raise
        self.lines.append(dict(record))

    def write_best(self, message: Mapping[str, Any], remark: str) -> None:
        """Replace best.yaml by a CpgParameters message; `remark` goes above it as a comment."""
        with self._writing():
            self._check_there()
            replace_file(self.path / BEST, sealed(dict(message), remark))

    def close(self) -> None:
        """Let another process have the folder."""
        self._lock.close()

    def _open(self, head: dict[str, Any] | None) -> list[Record]:
        """Open the logs where what counts ends; returns the measurements."""
        log = _undamaged(self.path, LOG, head)
        if log.records and not head:
            raise RunFolderError(f"{self.path} has evaluations, but no {REQUEST}")
        paths = _undamaged(self.path, TRAJECTORIES, head)
        fitting = fit(log, paths)
        if fitting.wrong:
            raise RunFolderError(
                f"{self.path / TRAJECTORIES}: line {fitting.kept + 1}: {fitting.wrong}"
            )
        best: dict[str, Any] = {}
        with contextlib.suppress(RunFolderError):  # it is written anew
            best = read_best(self.path)
        if best:
            check_best(self.path, best, evaluations_of(log.records))
        with self._writing():
            self._log = LogFile(self.path / LOG, log.place(len(log.records)))
            self._trajectories = LogFile(self.path / TRAJECTORIES, paths.place(fitting.kept))
        return log.records

    def _check_there(self) -> None:
        """Raise OSError if somebody removed the folder: without its log it is none."""
        if not self.path.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except LockError as error:
            raise RunFolderError(str(error)) from error
        except OSError as error:
            raise RunFolderError(f"cannot write to {self.path}: {error.strerror}") from error


def _undamaged(folder: Path, name: str, head: dict[str, Any] | None) -> Log:
    log = _check_log(folder, name, head)
    for number, reason in log.damage:
        raise RunFolderError(f"{folder / name}: line {number} is damaged: {reason}")
    return log
