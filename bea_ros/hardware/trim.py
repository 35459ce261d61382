# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Saves a servo's trim in its file, and leaves all the rest, also comments, unchanged."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import yaml

from bea_ros.hardware.servos import ServosError, own_folder
from bea_ros.system.files import read_whole, replace_file
from bea_ros.system.resources import resource_path
from bea_ros.system.yaml_files import LARGEST, UNREADABLE


def save_trim(source: Path, joint: str, trim: float) -> Path:
    """Write the file of servos with another trim (rad) of a joint; returns the file's new path.

    A file of the package is not changed: the calibrated one goes to ~/.ros/servos. The file is
    replaced as a whole or not at all. Raises ServosError.
    """
    target = source.resolve() if source.is_symlink() else source  # a link stays one
    if target.resolve().parent == resource_path("config/servos").resolve():
        target = own_folder() / source.name
        if target.exists():
            raise ServosError(f"{target} is there already: give it as the file of servos")
    try:
        text = with_trim(read_whole(source, LARGEST).decode(), joint, trim)
        replace_file(target, text)
    except ServosError:
        raise
    except OSError as error:
        raise ServosError(f"trim not saved to {target}: {error.strerror}") from error
    except (*UNREADABLE, TypeError) as error:  # somebody has edited it since it was loaded
        why = "it has no servos that can be read any more"
        raise ServosError(f"trim {trim:g} not saved to {target}: {why}") from error
    return target


def with_trim(text: str, joint: str, trim: float) -> str:
    """Return the text of a file of servos with another trim (rad); raises ServosError."""
    value = round(trim, 4)
    wanted = yaml.safe_load(text)
    servos = wanted["servos"]
    wanted["servos"] = {**servos, joint: {**servos[joint], "trim": value}}
    entry = _node(_node(yaml.compose(text), "servos"), joint)
    old = _node(entry, "trim")
    if old is not None:
        changed = _spliced(text, old.start_mark.index, old.end_mark.index, str(value))
    elif entry.flow_style:
        start = entry.start_mark.index + 1
        changed = _spliced(text, start, start, f"trim: {value}, ")
    else:
        start = entry.start_mark.index
        indent = " " * entry.start_mark.column
        changed = _spliced(text, start, start, f"trim: {value}\n{indent}")
    with contextlib.suppress(yaml.YAMLError):  # beside an anchor or a tag
        if yaml.safe_load(changed) == wanted:
            return changed
    raise ServosError(f"trim of {joint} cannot be put into this file; write {value} yourself")


def _node(mapping: Any, name: str) -> Any:
    """Return the node of a key's value in a YAML mapping, or None."""
    return next((value for key, value in mapping.value if key.value == name), None)


def _spliced(text: str, start: int, end: int, new: str) -> str:
    return text[:start] + new + text[end:]
