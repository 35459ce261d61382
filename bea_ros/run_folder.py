# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a run: what was asked, every evaluation, the best candidate.

run.yaml            what was asked, seed, versions; written once
evaluations.jsonl   one measurement a line; a line that is there counts (see measurements)
trajectories.jsonl  the poses of each of them, for the report
best.yaml           the best candidate, as a CpgParameters message in YAML
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from bea_ros.measurements import evaluations_of
from bea_ros.tasks import Trajectory

FORMAT = 1  # version of the folder's layout
REQUEST, LOG, TRAJECTORIES, BEST = (
    "run.yaml",
    "evaluations.jsonl",
    "trajectories.jsonl",
    "best.yaml",
)


class RunFolderError(ValueError):
    """A run folder that cannot be used; the message is one line."""


def read_request(folder: Path) -> dict[str, Any] | None:
    """What run.yaml says was asked, or None if there is no run; raises RunFolderError."""
    path = folder / REQUEST
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise RunFolderError(f"{path} cannot be read: {_line(error)}") from error
    if not isinstance(content, dict) or not isinstance(content.get("request"), dict):
        raise RunFolderError(f"{path} is no description of a run")
    if content.get("format") != FORMAT:
        raise RunFolderError(
            f"{path} is of format {content.get('format')}, this version reads {FORMAT}"
        )
    return dict(content["request"])


def read_evaluations(folder: Path) -> list[dict[str, Any]]:
    """The evaluations of a run in order, as `evaluations_of` puts them together.

    A torn last line does not count.
    """
    return evaluations_of(record for record, _ in _lines(folder / LOG))


def read_trajectories(folder: Path) -> dict[int, Trajectory]:
    """Trajectories by number of evaluation, the last of each, as far as they were stored."""
    return {
        record["evaluation"]: Trajectory(*np.array(record["poses"], dtype=float).T)
        for record, _ in _lines(folder / TRAJECTORIES)
    }


def read_best(folder: Path) -> dict[str, Any]:
    """The best candidate: evaluation, robot, names, values; raises RunFolderError."""
    path = folder / BEST
    try:
        best = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunFolderError(f"{folder} has no best.yaml: nothing was learned there") from None
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise RunFolderError(f"{path} cannot be read: {_line(error)}") from error
    if not isinstance(best, dict) or not {"evaluation", "robot", "names", "values"} <= set(best):
        raise RunFolderError(f"{path} holds no candidate")
    return best


class RunFolder:
    """A run folder open for writing, by one process at a time."""

    def __init__(
        self, path: Path, request: Mapping[str, Any], versions: Mapping[str, str]
    ) -> None:
        """Make the folder, or open it to resume.

        Raises RunFolderError if it cannot be written, is in use, or is of another run.
        """
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = (path / ".lock").open("w")
        except OSError as error:
            raise RunFolderError(f"cannot write to {path}: {error.strerror}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RunFolderError(f"{path} is in use by another learner") from None
        before = read_request(path)
        # Written with the first evaluation: a run that never began leaves nothing behind.
        self._head: dict[str, Any] | None = None
        if before is None:
            self._head = {"format": FORMAT, "request": dict(request), "versions": dict(versions)}
            before = dict(request)
        for key in {**request, **before}:
            if before.get(key) != request.get(key):
                raise RunFolderError(
                    f"{path} is a run with {key} {before.get(key)!r}, not {request.get(key)!r}: "
                    "choose another output folder"
                )
        self.lines = self._open(LOG)
        self._open(TRAJECTORIES, like=[record["evaluation"] for record in self.lines])

    @property
    def evaluations(self) -> list[dict[str, Any]]:
        """The evaluations so far, as `evaluations_of` puts them together."""
        return evaluations_of(self.lines)

    def append(self, record: Mapping[str, Any], trajectory: Trajectory) -> None:
        """Put a measurement on disk; when this returns, it counts."""
        if self._head:
            self._replace(REQUEST, yaml.safe_dump(self._head, sort_keys=False))
            self._head = None
        poses = np.column_stack([trajectory.t, trajectory.x, trajectory.y, trajectory.yaw])
        rounded = {"evaluation": record["evaluation"], "poses": poses.round(5).tolist()}
        self._append(TRAJECTORIES, rounded)
        self._append(LOG, record)
        self.lines.append(dict(record))

    def write_best(self, message: Mapping[str, Any], remark: str) -> None:
        """Replace best.yaml by a CpgParameters message; `remark` goes above it as a comment."""
        self._replace(BEST, f"# {remark}\n" + yaml.safe_dump(dict(message), sort_keys=False))

    def close(self) -> None:
        """Let another process have the folder."""
        self._lock.close()

    def _open(self, name: str, like: list[int] | None = None) -> list[dict[str, Any]]:
        """The records of a log, after cutting off what does not count.

        With `like`, those that are of these evaluations.
        """
        records: list[dict[str, Any]] = []
        size = 0
        for record, end in _lines(self.path / name):
            number = len(records)
            if like is not None and record["evaluation"] not in like[number : number + 1]:
                break
            records.append(record)
            size = end
        path = self.path / name
        if path.exists() and path.stat().st_size > size:
            os.truncate(path, size)
        return records

    def _append(self, name: str, record: Mapping[str, Any]) -> None:
        line = json.dumps(record, allow_nan=False) + "\n"
        with open(self.path / name, "a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def _replace(self, name: str, text: str) -> None:
        temporary = self.path / f".{name}.new"
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, self.path / name)


def _line(error: Exception) -> str:
    return error.strerror or "" if isinstance(error, OSError) else " ".join(str(error).split())


def _lines(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Whole records of a log and where each ends (bytes); stops at a torn last line.

    Raises RunFolderError for a broken line before the last.
    """
    if not path.exists():
        return
    content = path.read_bytes()
    end = 0
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        try:
            record = json.loads(line)
            if not line.endswith(b"\n") or record["evaluation"] < 1:
                raise ValueError("torn")
        except (ValueError, KeyError, TypeError) as error:
            if end + len(line) == len(content):
                return
            raise RunFolderError(f"{path}: line {number} is damaged") from error
        end += len(line)
        yield record, end
