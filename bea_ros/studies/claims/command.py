# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea bench claims`: the options."""

from __future__ import annotations

import argparse
from pathlib import Path

FUNCTIONS, ROBOTS = Path("bench/functions"), Path("bench/robots")
FOLDER = Path("bench/claims")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; nothing heavy is imported for that."""
    add = parser.add_argument
    for name, base in (("functions", FUNCTIONS), ("robots", ROBOTS)):
        add(
            f"--{name}",
            type=Path,
            default=base,
            metavar="FOLDER",
            help=f"holds the studies by `bea bench {name}`, a folder a profile (default {base})",
        )
    add(
        "--output",
        type=Path,
        default=FOLDER,
        metavar="FOLDER",
        help=f"folder of the tables and the page (default {FOLDER})",
    )


def run(parsed: argparse.Namespace) -> int:
    """Print every claim with what the data say, and write it down.

    Raises ValueError where there are no data.
    """
    from bea_ros.studies.claims import report

    print(report.write(parsed.functions, parsed.robots, parsed.output))
    return 0
