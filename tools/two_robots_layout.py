#!/usr/bin/env python3
# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The layout of rviz for two robots, from that for one: python tools/two_robots_layout.py.

A second robot's displays are those of the first, with topics and frames below `second`.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml

CONFIG = Path(__file__).resolve().parent.parent / "config"
TOPICS = {  # of the displays that are there twice
    "Arena, status": "second/markers",
    "Robot": "second/robot_description",
    "Path now": "second/path",
    "Best path": "second/best_path",
}
DISTANCE = 9.0  # m, of the eye
LOOK_AT = 1.6  # m along y: the nearer arena is the larger one in the picture
HEAD = "# Made by: python tools/two_robots_layout.py. Topics are relative, as in learn.rviz.\n"


def layout() -> str:
    """The text of config/two_robots.rviz."""
    content = yaml.safe_load((CONFIG / "learn.rviz").read_text())
    manager = content["Visualization Manager"]
    more = [second(d) for d in manager["Displays"] if d["Name"] in TOPICS]
    manager["Displays"] += more
    eye = manager["Views"]["Current"]
    eye["Distance"], eye["Focal Point"]["Y"] = DISTANCE, LOOK_AT
    return HEAD + yaml.safe_dump(content, sort_keys=False)


def second(display: dict[str, Any]) -> dict[str, Any]:
    """The display for the second robot."""
    other = copy.deepcopy(display)
    other["Name"] = f"{display['Name']} 2"
    key = "Description Topic" if "Description Topic" in display else "Topic"
    other[key]["Value"] = TOPICS[display["Name"]]
    if "TF Prefix" in other:
        other["TF Prefix"] = "second"
    return other


if __name__ == "__main__":
    (CONFIG / "two_robots.rviz").write_text(layout())
