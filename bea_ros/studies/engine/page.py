# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a study's page: facts, pictures, and tables, which may be printed, too."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from rich import box, table
from rich.console import Console

from bea_ros.report import pages, style
from bea_ros.studies.engine.figures import LABELS
from bea_ros.studies.engine.results import Result, Results
from bea_ros.studies.engine.statistics import resample
from bea_ros.system.files import replace_file

PAGE = "report.html"
PAPERS_COST = (
    "By the paper's cost: the same with the overhead of its machine, where BO takes 12.5 s "
    "(assumed) for its 1500th candidate, cubic in their number, and the EA none."
)
WIDTH = 132  # characters that a table on a terminal needs
SHADES = "Mean over the runs; shades are two standard deviations (95.45 %)."


class Table(NamedTuple):
    """A table, whose cells are text; it is left out if it has no rows."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    @property
    def html(self) -> str:
        """A section of the page."""
        shown = pages.table(self.headings, self.rows)
        return f"<h2>{html.escape(self.title)}</h2>{shown}" if self.rows else ""

    def show(self) -> None:
        """Print it; numbers are right-aligned."""
        shown = table.Table(title=self.title, title_justify="left", box=box.SIMPLE)
        for i, heading in enumerate(self.headings):
            shown.add_column(heading, justify="right" if i else "left", no_wrap=True)
        for row in self.rows:
            shown.add_row(*row)
        if self.rows:
            wide_console().print(shown)


def wide_console() -> Console:
    """A console that never wraps tables, also on a narrow terminal."""
    return Console(width=max(Console().width, WIDTH))


def note(text: str) -> str:
    """A note below a table."""
    return f"<p class=note>{html.escape(text)}</p>"


def write(folder: Path, title: str, lead: str, *parts: str) -> Path:
    """Write the page and return its path."""
    replace_file(folder / PAGE, pages.page(title, lead, "".join(parts)))
    return folder / PAGE


def facts(results: Results, lists: Sequence[str], found: dict[str, str]) -> str:
    """The study's progress, what was `found`, and the versions, as a section of the page."""
    s = results.settings
    planned = math.prod(len(s[name]) for name in lists) * s["repetitions"]
    finished = {"runs finished": f"{len(results.results)} of {planned}"}
    versions = {name: version for name, version in results.versions.items() if version}
    return pages.caution(s["repetitions"]) + pages.facts(finished | found | versions)


def readings(settings: Mapping[str, Any]) -> str:
    """Options that differ from the profile's, for use in a sentence."""
    return f"{options}, " if (options := settings.get("options", "")) else ""


def picture(folder: Path, name: str, title: str, note: str, figure: Figure) -> str:
    """A section with the figure; also writes the figure to its own file, on white."""
    section = style.picture(title, figure, note)  # drawn once, as it takes a second
    drawn = section[section.index("<svg") : section.rindex("</svg>") + len("</svg>")]
    on_white = drawn.replace("<svg ", '<svg style="background: white" ', 1)
    replace_file(folder / "figures" / f"{name}.svg", on_white)
    return section


def means(
    results: Results, cases: Sequence[tuple[str, ...]], marks: Sequence[int]
) -> Iterator[tuple[tuple[str, ...], str, list[Result], list[str], np.ndarray]]:
    """Case, algorithm and its runs; mean and deviation of the best value after each of `marks`
    evaluations as text; and the values, shape (runs, marks).
    """
    for case in cases:
        for name in results.algorithms:
            if runs := results.of(case, name):
                best = np.array([resample(run.evaluation, run.best, marks) for run in runs])
                deviation = best.std(axis=0, ddof=1) if len(runs) > 1 else 0 * best[0]
                both = zip(best.mean(axis=0), deviation, strict=True)
                yield case, LABELS[name], runs, [f"{m:.4g} ± {d:.2g}" for m, d in both], best


def number(value: float, form: str = ".4g", unit: str = "") -> str:
    """A value for a table, a dash for NaN."""
    return f"{value:{form}}{unit}" if math.isfinite(value) else "-"


def percent(value: float) -> str:
    """A share as a percentage for a table."""
    return number(100 * value, ".0f", " %")
