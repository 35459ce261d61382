# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the page shows at one time, and which part of it a browser does not have yet."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

from bea_ros.nodes.page.history import Row


@dataclass(frozen=True)
class Scene:
    """`now` always changes; `rows`, `parts` and `picture` are new objects when they change."""

    now: dict[str, Any] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    parts: dict[str, Any] = field(default_factory=dict)  # paths, by name
    picture: bytes = b""  # JPEG


NOTHING = Scene()  # what a new browser has


def news(known: Scene, scene: Scene) -> tuple[str, bytes]:
    """Return the difference that takes a browser from the `known` scene to another.

    A JSON message, and a picture (JPEG), which is empty if the browser has it.
    """
    message: dict[str, Any] = {"now": scene.now}
    if scene.rows is not known.rows:
        pairs = zip(known.rows, scene.rows, strict=False)
        first = next((i for i, (old, new) in enumerate(pairs) if old != new), None)
        if first is None:
            first = min(len(known.rows), len(scene.rows))
        message["rows"] = {"from": first, "rows": scene.rows[first:]}
    for name, part in scene.parts.items():
        if part is not known.parts.get(name):
            message[name] = part
    return to_json(message), b"" if scene.picture is known.picture else scene.picture


def to_json(message: Any) -> str:
    """Return a message as JSON; NaN and infinity become null."""
    try:
        return json.dumps(message, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(_finite(message), separators=(",", ":"))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
