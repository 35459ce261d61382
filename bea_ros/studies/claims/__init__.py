# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench claims: each of the paper's claims compared with the data of the studies."""

from __future__ import annotations

import argparse
from pathlib import Path

from bea_ros.studies.functions import FOLDER as FUNCTIONS
from bea_ros.studies.robots import FOLDER as ROBOTS

FOLDER = Path("bench/claims")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options, without heavy imports."""
    for name, base, holds in (
        ("functions", FUNCTIONS, "the studies by `bea bench functions`, one a profile"),
        ("robots", ROBOTS, "the studies by `bea bench robots`, one a profile"),
        ("output", FOLDER, "what is written: the tables and the page"),
    ):
        text = f"folder of {holds} (default {base})"
        parser.add_argument(f"--{name}", type=Path, default=base, metavar="FOLDER", help=text)


def run(parsed: argparse.Namespace) -> int:
    """Print and write every claim with the verdict of the data; raises ValueError."""
    from bea_ros.studies.claims import report

    print(f"wrote {report.write(parsed.functions, parsed.robots, parsed.output)}")
    return 0
