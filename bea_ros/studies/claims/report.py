# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reports every claim and the verdict of the data as text, CSV files and a page."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from bea_ros.report import pages
from bea_ros.studies.claims import functions, robots
from bea_ros.studies.claims.gathering import PROFILES, by_reading, published, readings, tables
from bea_ros.studies.claims.lines import NO, OPEN, YES, Line
from bea_ros.studies.engine import page
from bea_ros.studies.engine.data import write_table
from bea_ros.studies.engine.page import number
from bea_ros.studies.engine.statistics import p_text
from bea_ros.studies.functions.study import FunctionStudy
from bea_ros.studies.robots import GAITS
from bea_ros.studies.robots.study import RobotStudy

CLAIMS, READINGS = "claims.csv", "readings.csv"
TITLE = "The paper's claims"
LEAD = "Each claim in each of its cases, for each reading of the paper that was studied"
HEADINGS = ["case", "read", "holds", "paper", "ours", "runs", "p"]
COUNTED = ["read", YES, NO, OPEN]
NOTE = (
    "p: two-sided, corrected over the cases of a claim (Holm); runs in pairs where they share "
    f"their beginning. {YES}: as claimed, with p < 0.05. {NO}: the other way round with p < 0.05, "
    f"or a number outside the claimed range. {OPEN}: these runs do not tell. ours: mean best of "
    "the two (f of a function; m/s for gait, m for directed locomotion, rad for rotating), or "
    "their ratio."
)
READINGS_NOTE = (
    "Mean f of BEA at its switch and in the end, and p of the end against the profile as it is."
)


def write(function_studies: Path, robot_studies: Path, output: Path) -> Path:
    """Print the tables, write claims.csv, readings.csv and the page; returns the page's path.

    Raises ValueError if neither folder has a study of a published profile.
    """
    on_functions = published(FunctionStudy(), function_studies)
    lines = [
        replace(line, reading=reading)
        for studies, claims in (
            (on_functions, functions.claims),
            (published(RobotStudy(), robot_studies), robots.claims),
        )
        for reading, results in by_reading(studies).items()
        for line in claims(results)
    ]
    lines += [
        replace(line, reading=reading)
        for reading, table in tables(robot_studies, GAITS)
        for line in robots.on_real_robots(table)
    ]
    if not lines:
        raise ValueError(
            f"neither {function_studies} nor {robot_studies} holds a study of profile "
            f"{' or '.join(PROFILES)}: bea bench functions --profile released makes one"
        )
    others = readings(on_functions)
    write_table(output / CLAIMS, pd.DataFrame(lines))
    write_table(output / READINGS, others)
    claims, counts = _by_claim(lines), _counts(lines)
    more, open_rows = _readings_table(others)
    _show(TITLE, ["claim", *HEADINGS], _with_claims(claims), NOTE)
    _show("Readings", more, open_rows, READINGS_NOTE)
    _show("Do they hold?", COUNTED, counts)
    tables_of_claims = [
        f"<h2>{html.escape(claim)}</h2>{pages.table(HEADINGS, rows, words=4)}"
        for claim, rows in claims.items()
    ]
    return page.write(
        output,
        TITLE,
        LEAD,
        pages.table(COUNTED, counts),
        page.note(NOTE),
        *tables_of_claims,
        f"<h2>What the paper leaves open</h2>{page.note(READINGS_NOTE)}",
        pages.table(more, open_rows),
    )


def _by_claim(lines: Sequence[Line]) -> dict[str, list[list[str]]]:
    """Each claim's rows, one for each case and reading."""
    counts = Counter(line.reading for line in lines)
    fullest = [line for line in lines if line.reading == max(counts, key=lambda n: counts[n])]
    cases = {line.case: n for n, line in reversed(list(enumerate(lines)))}
    claims: dict[str, list[list[str]]] = {line.claim: [] for line in [*fullest, *lines]}
    for line in sorted(lines, key=lambda line: cases[line.case]):
        holds = f"{line.holds}: {line.why}" if line.why else line.holds
        row = [line.case, line.reading, holds, line.paper, line.ours, line.runs, p_text(line.p)]
        claims[line.claim].append(row)
    return claims


def _with_claims(claims: Mapping[str, Sequence[Sequence[str]]]) -> list[list[str]]:
    """The rows of all claims, with the claim before its first row."""
    return [
        ["" if n else claim, *row] for claim, rows in claims.items() for n, row in enumerate(rows)
    ]


def _readings_table(found: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    headings = ["profile", "reading", "function", "evaluations", "runs", "f at the switch",
                "f in the end", "p"]  # fmt: skip
    return headings, [
        [*map(str, what), number(switch, ".3g"), number(end, ".3g"), p_text(p)]
        for *what, switch, end, p in found.itertuples(index=False)
    ]


def _counts(lines: Sequence[Line]) -> list[list[str]]:
    """By reading, how many lines hold, do not hold, and are open."""
    found = Counter((line.reading, line.holds) for line in lines)
    return [
        [reading, *(str(found[reading, word]) for word in (YES, NO, OPEN))]
        for reading in dict.fromkeys(line.reading for line in lines)
    ]


def _show(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], note: str = ""
) -> None:
    table = Table(*headings, title=title, box=box.SIMPLE, padding=0, show_edge=False)
    for row in rows:
        table.add_row(*row)
    Console(width=180).print(table)
    print(f"\n{note}" if note else "")
