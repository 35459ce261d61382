# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea report: the page with the pictures of a run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    text = "write a page with the pictures of a run"
    parser = commands.add_parser("report", help=text, description=text)
    parser.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a run")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from bea_ros.report import write_report

    print(f"wrote {write_report(parsed.run_folder)}")
    return 0
