# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea list: the runs below folders."""

from __future__ import annotations

import argparse
from os.path import abspath, basename
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    text = "list the runs below folders: robot, task, algorithm, evaluations, best, state"
    parser = commands.add_parser("list", help=text, description=text)
    parser.add_argument(
        "folders", type=Path, nargs="*", default=[Path("runs")], metavar="FOLDER",
        help="folder of runs (default runs)",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from rich.table import Table

    from bea_ros.runs.loading import runs_below
    from bea_ros.system.terminal import plain_console, printable

    names = {  # as given on the command line, or within the only folder
        folder: folder if len(parsed.folders) > 1 else folder.relative_to(top)
        for top in parsed.folders
        for folder in runs_below(top)
    }
    if not names:
        print(f"no runs below {', '.join(map(str, parsed.folders))}")
        return 0
    table = Table(box=None, pad_edge=False)
    for name in ("run", "robot", "task", "algorithm", "evaluations", "best", "state"):
        number = name in ("evaluations", "best")
        table.add_column(name, justify="right" if number else "left", overflow="fold")
    damaged = []
    for folder, shown in names.items():
        cells, damage = _cells(folder)
        named = shown.name not in ("", "..")
        table.add_row(printable(str(shown) if named else basename(abspath(folder))), *cells)
        damaged += [printable(damage)] if damage else []
    plain_console(uncut=True).print(table)
    for damage in damaged:
        print(damage)
    return 1 if damaged else 0


def _cells(folder: Path) -> tuple[list[str], str]:
    """Return the table's cells for a run, and its damage in words."""
    from bea_ros.robots import robot_name
    from bea_ros.runs.folder.head import RunFolderError, read_request
    from bea_ros.runs.loading import load_run

    request: dict[str, Any] = {}
    try:
        request = read_request(folder) or {}
        run = load_run(folder)
        done, best, state, damage = str(len(run.records)), run.best, run.state, ""
    except (RunFolderError, OSError) as error:
        done, best, state, damage = "?", None, "damaged", str(error)
    said = [str(request.get(name, "?")) for name in ("robot", "task", "algorithm")]
    if (profile := request.get("profile", "default")) != "default":
        said[2] += f" {profile}"
    reached = f"{best['fitness']:.4f} {run.unit}" if best else "-"
    budget = request.get("evaluations", "?")
    return [robot_name(said[0]), *said[1:], f"{done}/{budget}", reached, state], damage
