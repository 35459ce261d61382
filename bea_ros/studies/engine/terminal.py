# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A study's tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table

WIDTH = 132  # characters that a table needs


def wide_console() -> Console:
    """A console that never wraps tables, also on a narrow terminal."""
    console = Console()
    return Console(width=max(console.width, WIDTH))


def print_table(
    console: Console, title: str, headings: Sequence[str], lines: Sequence[Sequence[str]]
) -> None:
    """Print a table unless it is empty; numbers are right-aligned."""
    if not lines:
        return
    shown = Table(title=title, title_justify="left", box=box.SIMPLE)
    for i, heading in enumerate(headings):
        shown.add_column(heading, justify="right" if i else "left", no_wrap=True)
    for line in lines:
        shown.add_row(*line)
    console.print(shown)
