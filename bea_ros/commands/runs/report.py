# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea report: the page with the pictures of a run, or of a recording of one."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    text = "write the page of a run; of a rosbag, compute each fitness again"
    parser = commands.add_parser("report", help=text, description=text)
    parser.add_argument("path", type=Path, metavar="RUN|BAG", help="folder of a run, or a rosbag2")
    parser.add_argument("--namespace", help="namespace of the robot, if the bag has several")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from bea_ros.bags.reading import is_bag
    from bea_ros.report.page import write_report

    if not parsed.path.exists():
        raise ValueError(f"{parsed.path} is not there; recordings are made by bea learn --record")
    if is_bag(parsed.path):
        return _report_bag(parsed.path, parsed.namespace)
    if parsed.namespace is not None:
        raise ValueError(f"--namespace is of a rosbag2, and {parsed.path} is none")
    print(f"wrote {write_report(parsed.path)}")
    return 0


def _report_bag(path: Path, namespace: str | None) -> int:
    """Returns 1 if a fitness is not the learner's."""
    from bea_ros.bags.recomputing import read_recording
    from bea_ros.report.recording import differences, verdict, write_recording_report

    recording = read_recording(path, namespace)
    differing = differences(recording)
    print("\n".join([verdict(recording), *differing]))
    page = Path(f"{os.path.abspath(path)}.html")
    print(f"wrote {write_recording_report(recording, page)}")
    return 1 if differing else 0
