# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""run.yaml: the settings of a run, and the files and versions that it was started with."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import Any

from bea_ros.robots import absolute_robot
from bea_ros.system.yaml_files import YamlFileError, is_intact, parse_yaml, read_bytes

FORMAT = 2  # version of the folder's layout
WITHOUT_CHECKSUMS = 1
REQUEST = "run.yaml"
WITH_GAPS = "with gaps"  # `salvaged` of run.yaml, where measurements in between are gone
PARTS: dict[str, type] = {"versions": dict, "surroundings": dict, "files": dict, "changes": list}
SETTINGS: dict[str, tuple[Any, str]] = {
    "evaluations": (int, "a whole number"),
    "confirm": (int, "a whole number"),
    "duration": (int | float, "a number"),
    "before": (int | float, "a number"),
    "start": (list, "a list"),
    "options": (dict, "a mapping"),
}


class RunFolderError(ValueError):
    """A run folder that cannot be used; the message is one line."""


def read_request(folder: Path) -> dict[str, Any] | None:
    """Return the settings in run.yaml, or None if there is no run; raises RunFolderError."""
    head = read_head(folder)
    return None if head is None else dict(head["request"])


def read_surroundings(folder: Path) -> dict[str, Any]:
    """Return the further arguments of a run; raises RunFolderError."""
    found = (read_head(folder) or {}).get("surroundings", {})
    if not all(isinstance(name, str) for name in found):
        raise RunFolderError(f"{folder / REQUEST} is damaged: its surroundings must have names")
    return dict(found)


def read_sealed(path: Path) -> tuple[Any, bool | None] | None:
    """Return the data of a YAML file, and whether its checksum is right (None if it has none).

    Returns None if there is no file; raises RunFolderError.
    """
    try:
        content = read_bytes(path)
        return parse_yaml(content, path), is_intact(content)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except YamlFileError as error:
        raise RunFolderError(str(error)) from error


def check_same(folder: Path, before: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    """Raise RunFolderError unless a run with one request can resume with another."""
    before, request = _flat(_anywhere(before)), _flat(_anywhere(request))
    for key in {**request, **before}:
        was, asked = before.get(key), request.get(key)
        if was != asked:
            raise RunFolderError(
                f"{folder} is a run {_apart(key, was, asked)}: choose another output folder"
                + to_start_from(folder) * (before.get("robot") == request.get("robot"))
            )


def to_start_from(folder: Path) -> str:
    """How another run of the same robot begins with what this one learned."""
    return f"; --warm-start {quote(str(folder))} begins with the best candidates of this run"


def _apart(key: str, was: Any, asked: Any) -> str:
    if key == "evaluations" and isinstance(was, int):
        return f"with {was} evaluations, which may become more, not {asked}"
    if was is None:
        return f"without {key}, not with {asked!r}"
    return f"with {key} {was!r}, not " + ("without it" if asked is None else repr(asked))


def _anywhere(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request with an absolute robot name, with a motor, and with `images`.

    Older runs have the robot as given, and no motor, as there were servos only. Runs with images
    do not say so.
    """
    robot = request.get("robot")
    named = {"robot": absolute_robot(robot)} if isinstance(robot, str) else {}
    return {"motor": "servo", "images": True, **request, **named}


def _flat(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request with each option of the optimizer under its own key."""
    options = request.get("options")
    if not isinstance(options, dict):
        return {**request}
    rest = {name: value for name, value in request.items() if name != "options"}
    return rest | {f"option {name}": value for name, value in options.items()}


def read_head(folder: Path, changed: bool = False) -> dict[str, Any] | None:
    """Return all of run.yaml, or None if there is none; raises RunFolderError.

    A file that was changed after it was written is refused, unless `changed` is true.
    """
    path = folder / REQUEST
    if (found := read_sealed(path)) is None:
        return None
    head, intact = found
    if intact is False and not changed:
        raise RunFolderError(f"{path} was damaged or changed after it was written")
    if not isinstance(head, dict) or not isinstance(head.get("request"), dict):
        raise RunFolderError(f"{path} is not the description of a run")
    for name, kind in PARTS.items():
        if not isinstance(head.get(name, kind()), kind):
            raise RunFolderError(f"{path} is damaged: its {name} must be a {kind.__name__}")
    for name, (allowed, words) in SETTINGS.items():
        if name in head["request"] and not _fits(head["request"][name], allowed):
            value = reprlib.repr(head["request"][name])
            raise RunFolderError(f"{path} is damaged: its {name} must be {words}, not {value}")
    known = (WITHOUT_CHECKSUMS, FORMAT)
    if head.get("format") not in known:
        raise RunFolderError(
            f"{path} is of format {head.get('format')}, this version reads "
            f"{' and '.join(map(str, known))}: use the bea_ros that wrote it"
        )
    if intact is None and head["format"] != WITHOUT_CHECKSUMS and not changed:
        raise RunFolderError(f"{path} has no checksum: it was damaged or changed")
    return head


def _fits(value: Any, allowed: Any) -> bool:
    return isinstance(value, allowed) and (type(value) is not float or math.isfinite(value))
