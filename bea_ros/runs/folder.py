# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a run: what was asked, every evaluation, the best candidate.

run.yaml            what was asked, seed, versions, surroundings (arena, ...); written once
evaluations.jsonl   one measurement a line; a line that is there counts (see measurements)
trajectories.jsonl  the poses of each of them, for the report
best.yaml           the best candidate, as a CpgParameters message in YAML

The logs are appended to (see log.py), the YAML files replaced whole (see yaml_files). Format 1
had no checksums; its runs are read and resumed, and what is added has them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bea_ros.robots import absolute_robot
from bea_ros.runs.lock import LockError, RunLock
from bea_ros.runs.log import Check, Log, LogFile, Record, read_log
from bea_ros.runs.measurements import evaluations_of
from bea_ros.runs.records import (
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

FORMAT = 2  # version of the folder's layout
WITHOUT_CHECKSUMS = 1
REQUEST, LOG, TRAJECTORIES, BEST = (
    "run.yaml",
    "evaluations.jsonl",
    "trajectories.jsonl",
    "best.yaml",
)
CHECKS: dict[str, Check] = {LOG: check_measurement, TRAJECTORIES: check_trajectory}


class RunFolderError(ValueError):
    """A run folder that cannot be used; the message is one line."""


def read_request(folder: Path) -> dict[str, Any] | None:
    """What run.yaml says was asked, or None if there is no run; raises RunFolderError."""
    head = _read_head(folder)
    return None if head is None else dict(head["request"])


def read_surroundings(folder: Path) -> dict[str, Any]:
    """What the run was started with besides, by argument; raises RunFolderError."""
    found = (_read_head(folder) or {}).get("surroundings", {})
    if not (isinstance(found, dict) and all(isinstance(name, str) for name in found)):
        raise RunFolderError(f"{folder / REQUEST} is damaged: its surroundings are no names")
    return dict(found)


def check_same(folder: Path, before: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    """Raise RunFolderError unless a run that was begun with a request goes on with this one."""
    before, request = _flat(_anywhere(before)), _flat(_anywhere(request))
    for key in {**request, **before}:
        if before.get(key) != request.get(key):
            raise RunFolderError(
                f"{folder} is a run with {key} {before.get(key)!r}, "
                f"not {request.get(key)!r}: choose another output folder"
            )


def _anywhere(request: Mapping[str, Any]) -> dict[str, Any]:
    """The request with its robot named as from any directory; once it was written as given."""
    robot = request.get("robot")
    return {**request, "robot": absolute_robot(robot)} if isinstance(robot, str) else {**request}


def _flat(request: Mapping[str, Any]) -> dict[str, Any]:
    """The request with each of the optimizer's options by itself."""
    options = request.get("options")
    if not isinstance(options, dict):
        return {**request}
    rest = {name: value for name, value in request.items() if name != "options"}
    return rest | {f"option {name}": value for name, value in options.items()}


def read_evaluations(folder: Path) -> list[Record]:
    """The evaluations of a run in order, as `evaluations_of` puts them together.

    A torn last line does not count. Raises RunFolderError.
    """
    return evaluations_of(read_measurements(folder))


def read_measurements(folder: Path) -> list[Record]:
    """The lines of a run's log; raises as `read_evaluations`."""
    return _undamaged(folder, LOG, _read_head(folder)).records


def read_trajectories(folder: Path) -> dict[int, Trajectory]:
    """Trajectories by number of evaluation, the last of each, as far as they were stored."""
    records = _undamaged(folder, TRAJECTORIES, _read_head(folder)).records
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
    head = _read_head(folder)
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


def check_log(folder: Path, name: str) -> Log:
    """What is in LOG or TRAJECTORIES of a run, damage included; raises RunFolderError."""
    return _check_log(folder, name, _read_head(folder))


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
    ) -> None:
        """Make the folder, or open it to resume.

        `surroundings` are what a run may be gone on without: arena, parameter file, camera, ...

        Raises RunFolderError if it cannot be written, is in use, damaged, or of another run.
        """
        self.path = path
        with self._writing():
            path.mkdir(parents=True, exist_ok=True)
            self._lock = RunLock(path)
        try:
            # Written with the first evaluation: a run that never began leaves nothing behind.
            before = _read_head(path)
            self._head: dict[str, Any] | None = None
            if before:
                check_same(path, before["request"], request)
            else:
                asked = {"request": dict(request), "versions": dict(versions)}
                if surroundings:
                    asked["surroundings"] = dict(surroundings)
                self._head = {"format": FORMAT, **asked}
            self.lines = self._open(before)
        except BaseException:
            self.close()
            raise

    @property
    def evaluations(self) -> list[Record]:
        """The evaluations so far, as `evaluations_of` puts them together."""
        return evaluations_of(self.lines)

    def append(self, record: Mapping[str, Any], trajectory: Trajectory) -> None:
        """Put a measurement on disk; when this returns, it counts.

        Raises RunFolderError if it does not get there; then the folder is as before.
        """
        with self._writing():
            if self._head:
                replace_file(self.path / REQUEST, sealed(self._head))
                self._head = None
            before = self._trajectories.size
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
        kept = [end for end, _ in zip(paths.ends, _shared(paths, log), strict=False)]
        with self._writing():
            self._log = LogFile(self.path / LOG, log.ends[-1] if log.ends else 0)
            self._trajectories = LogFile(self.path / TRAJECTORIES, kept[-1] if kept else 0)
        return log.records

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except LockError as error:
            raise RunFolderError(str(error)) from error
        except OSError as error:
            raise RunFolderError(f"cannot write to {self.path}: {error.strerror}") from error


def _read_head(folder: Path) -> dict[str, Any] | None:
    path = folder / REQUEST
    try:
        content = read_bytes(path)
        head = parse_yaml(content, path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except YamlFileError as error:
        raise RunFolderError(str(error)) from error
    intact = is_intact(content)
    if intact is False:
        raise RunFolderError(f"{path} was damaged or changed after it was written")
    if not isinstance(head, dict) or not isinstance(head.get("request"), dict):
        raise RunFolderError(f"{path} is no description of a run")
    known = (WITHOUT_CHECKSUMS, FORMAT)
    if head.get("format") not in known:
        raise RunFolderError(
            f"{path} is of format {head.get('format')}, this version reads "
            f"{' and '.join(map(str, known))}"
        )
    if intact is None and head["format"] != WITHOUT_CHECKSUMS:
        raise RunFolderError(f"{path} has no checksum: it was damaged or changed")
    return head


def _undamaged(folder: Path, name: str, head: dict[str, Any] | None) -> Log:
    log = _check_log(folder, name, head)
    for number, reason in log.damage:
        raise RunFolderError(f"{folder / name}: line {number} is damaged: {reason}")
    return log


def _shared(paths: Log, log: Log) -> Iterator[int]:
    """Evaluations of the first trajectories, as far as the log has them in the same order.

    A crash may have come between a trajectory and its line in the log.
    """
    logged = iter([record["evaluation"] for record in log.records])
    for record in paths.records:
        if record["evaluation"] not in logged:  # which takes all up to it
            return
        yield record["evaluation"]
