# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea compare: runs side by side, on one page and in one table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    text = "compare runs in a page and a table, grouped by the settings that differ"
    parser = commands.add_parser("compare", help=text, description=text)
    parser.add_argument(
        "folders", type=Path, nargs="+", metavar="RUN", help="folder of a run, or of several"
    )
    parser.add_argument(
        "--output", type=Path, default=Path("comparison.html"), metavar="FILE",
        help="page to write; the table lies beside it as .csv",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    if parsed.output.suffix != ".html":
        raise ValueError(f"{parsed.output} is not the name of a page: it must end with .html")

    from rich.table import Table

    from bea_ros.studies.compared.groups import groups_of, read_runs, table_of
    from bea_ros.studies.compared.page import table_of_case, write_page
    from bea_ros.system.terminal import plain_console

    left_out: list[str] = []
    try:
        groups = groups_of(read_runs(parsed.folders, left_out.append))
    finally:
        for line in left_out:
            print(line)
    found = table_of(groups)
    console = plain_console(uncut=True)
    for case, rows in found.groupby("case", sort=False):
        unit = next(group.unit for group in groups if group.case == case)
        headings, cells = table_of_case(rows, unit, brief=True)
        table = Table(title=str(case), title_justify="left", box=None, pad_edge=False)
        for place, heading in enumerate(headings):
            table.add_column(heading, justify="right" if place else "left", overflow="fold")
        for row in cells:
            table.add_row(*row)
        console.print(table)
    parsed.output.parent.mkdir(parents=True, exist_ok=True)
    page = write_page(parsed.output, groups, found)
    print(f"wrote {page} and {page.with_suffix('.csv')}")
    return 1 if left_out else 0
