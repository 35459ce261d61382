# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea doctor: what is missing on this machine, and how to get it."""

from __future__ import annotations

import argparse
from typing import Any


def add(commands: Any) -> None:
    text = "check this machine and say what is missing"
    parser = commands.add_parser("doctor", help=text, description=text)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from bea_ros.doctor import check_machine

    return check_machine()
