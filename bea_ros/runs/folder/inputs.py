# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Input files of a run: run.yaml has copies, which are compared when the run is resumed.

A change of arena, parameter file, calibration, robot or servos changes all later measurements.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from bea_ros.robots import Robot
from bea_ros.robots.urdf import hash_of
from bea_ros.runs.folder.head import RunFolderError, read_head
from bea_ros.system.yaml_files import read_bytes, read_yaml

FILES = ("arena", "camera_info", "config", "robot", "servos")  # arguments that name files
LARGEST_COPY = 2**14  # bytes; larger files are stored as a hash
SAID = 3  # largest number of differences named per file

Inputs = dict[str, Any]


def inputs_of(robot: Robot, files: Mapping[str, str | Path]) -> Inputs:
    """Return the inputs that determine measurements, by argument; raises RunFolderError."""
    found: Inputs = {"robot": {"marker_id": robot.marker.id, "sha256": hash_of(robot.urdf)}}
    for name, path in sorted(files.items()):
        content, text = read_yaml(name, path, RunFolderError), read_bytes(path)
        found[name] = content if len(text) <= LARGEST_COPY else _hashed(text)
        if name == "config" and isinstance(content, dict) and (named := _named_in(content)):
            found[name] = {**found[name], "files": named}
    return found


def _hashed(text: bytes) -> dict[str, str]:
    return {"sha256": hashlib.sha256(text).hexdigest()}


def _named_in(value: Any) -> dict[str, dict[str, str]]:
    """Hashes of the files that a parameter file names, such as a camera's calibration."""
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return {path: one for part in parts for path, one in _named_in(part).items()}
    try:
        return {value: _hashed(read_bytes(Path(value.removeprefix("file://")).expanduser()))}
    except (AttributeError, OSError, ValueError, RuntimeError):  # it names none
        return {}


def changed_since(folder: Path, robot: Robot, files: Mapping[str, str | Path]) -> list[str]:
    """Say in words which files of a run have changed; raises RunFolderError."""
    before = (read_head(folder) or {}).get("files", {})
    now = inputs_of(robot, {n: path for n, path in files.items() if Path(path).is_file()})
    known = now.keys() & before.keys()
    return words_of(differences(*({n: one[n] for n in known} for one in (before, now))))


def resumed_with(
    head: dict[str, Any],
    files: Inputs,
    surroundings: Mapping[str, Any],
    versions: Mapping[str, str],
    evaluation: int,
) -> tuple[dict[str, Any], list[str]]:
    """Return run.yaml of a run that is resumed with these inputs from an evaluation on, and the
    changes in words. If nothing has changed it is `head` itself.
    """
    software = [{"software": head.get("versions", versions)}, {"software": dict(versions)}]
    changes = differences(head.get("files", files), files) | differences(*software)
    if not changes and "files" in head:
        return head, []
    new = {**head, "files": files, "versions": dict(versions)}
    kept = {n: v for n, v in head.get("surroundings", {}).items() if n not in (*FILES, "given")}
    kept |= {n: v for n, v in surroundings.items() if n in (*FILES, "given")}
    new["surroundings"] = kept
    if words := words_of(changes):
        new["changes"] = [*head.get("changes", []), {"evaluation": evaluation, "what": words}]
    return new, words


def check_inputs(
    folder: Path, head: Mapping[str, Any], files: Inputs, accepted: Collection[str]
) -> None:
    """Raise RunFolderError if files have changed that are not `accepted`."""
    found = differences(head.get("files", files), files)
    refused = {name: words for name, words in found.items() if name not in accepted}
    if refused:
        options = " ".join(f"--{name.replace('_', '-')}" for name in refused)
        raise RunFolderError(
            f"{folder} was begun with other files: {'; '.join(words_of(refused))}. Restore "
            f"them, or give the new ones by {options} (ros2 launch: {next(iter(refused))}:=...)"
        )


def words_of(changes: Mapping[str, str]) -> list[str]:
    """Say what changed in each file, or in the software."""
    return [f"{name}: {words}" for name, words in changes.items()]


def words_of_change(change: Any) -> str:
    """Put an entry of run.yaml's `changes` into words."""
    known = isinstance(change, dict) and isinstance(change.get("what"), list)
    what = "; ".join(map(str, change["what"])) if known else "something else"
    return f"from evaluation {change.get('evaluation') if known else '?'} on, {what}"


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, str]:
    """Return the differences by argument, in words: the old and the new value."""
    found: dict[str, str] = {}
    for name in sorted({*before, *now}):
        was, is_now = (dict(_leaves(one.get(name))) for one in (before, now))
        words = [
            _words(key, was.get(key, "not there"), is_now.get(key, "not there"))
            for key in {**was, **is_now}
            if was.get(key) != is_now.get(key)
        ]
        if words:
            more = f", and {len(words) - SAID} more" if len(words) > SAID else ""
            found[name] = "; ".join(words[:SAID]) + more
    return found


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield each value under its path: `a: {b: 1}` as `a.b`. Values are text, as NaN != NaN."""
    if isinstance(value, dict):
        for name, inner in value.items():
            outer = key if name == "ros__parameters" else f"{key}.{name}".lstrip(".")
            yield from _leaves(inner, outer)
    elif value is not None or key:
        yield key, repr(value)


def _words(key: str, was: str, is_now: str) -> str:
    if key.endswith("sha256"):
        return f"{key.removesuffix('sha256').rstrip('.') or 'it'} is another one"
    return f"{key or 'it'} was {was}, is {is_now}"
