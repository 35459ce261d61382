# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What there is to see at one time, and what of it a browser does not know yet."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

from bea_ros.nodes.page.history import Row


@dataclass(frozen=True)
class Scene:
    """`now` changes each time; `rows`, `parts` and the picture are others when they change."""

    now: dict[str, Any] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    parts: dict[str, Any] = field(default_factory=dict)  # paths, by name
    picture: bytes = b""  # JPEG


NOTHING = Scene()  # what a browser knows that has just come


def news(known: Scene, scene: Scene) -> tuple[str, bytes]:
    """What a browser that knows one scene is told of another, each thing once.

    A message, as JSON, and a picture, empty if it is known.
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
    """JSON, in which NaN and infinity, which it does not have, are null."""
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
