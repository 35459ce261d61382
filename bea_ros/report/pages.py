# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The layout of all pages: a page is one file, for light and dark mode and any screen."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

CROWDED = 12  # a table with more columns has smaller letters
ENOUGH = 5  # runs of a method that are needed to judge it
LOOK = files("bea_ros.report").joinpath("look")


def content(name: str) -> str:
    """Text of a file of the layout (style sheet, script)."""
    return LOOK.joinpath(name).read_text(encoding="utf-8")


def page(title: str, lead: str, body: str) -> str:
    """A page; title and lead are plain text, the body is HTML."""
    title = html.escape(title)
    return (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        '<meta name=color-scheme content="light dark">'
        f"<title>{title}</title><style>{content('look.css')}{content('paper.css')}</style>"
        f"<main class=paper><h1>{title}</h1><p class=lead>{html.escape(lead)}</p>"
        f"{body}</main><script>{content('tables.js')}</script></html>\n"
    )


def facts(values: Mapping[str, str], notes: Mapping[str, str] | None = None) -> str:
    """Names and values side by side; `notes` explain some of them in one line each."""
    cells = (
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>"
        + (f"<p class=note>{html.escape(notes[name])}</p>" if notes and name in notes else "")
        + "</div>"
        for name, value in values.items()
    )
    return f"<dl class=facts>{''.join(cells)}</dl>"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """A table; the first column, or `words` (2 or 4), have words, the others have numbers.

    On a narrower screen it becomes a list, each value beside its heading (tables.js).
    """
    head = "".join(f"<th scope=col>{html.escape(heading)}</th>" for heading in headings)
    lines = (
        "<tr>"
        + "".join(
            f'<td data-label="{html.escape(heading)}">{html.escape(cell)}</td>'
            for heading, cell in zip(headings, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    crowded = " crowded" if len(headings) > CROWDED else ""
    told = f" told{words}" if words > 1 else ""
    return (
        f'<div class=scroll><table class="lined{crowded}{told}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def pairs(values: Mapping[str, str]) -> str:
    """A table of names and their values, both words."""
    lines = (
        f"<tr><th scope=row>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
        for name, value in values.items()
    )
    return f'<div class=scroll><table class="lined words">{"".join(lines)}</table></div>'


def caution(runs: int) -> str:
    """The warning at the top of a study with few `runs` of each method; "" if there are enough."""
    if runs >= ENOUGH:
        return ""
    return (
        f"<p class=warning>At most {runs} run{'s' * (runs != 1)} of each method: this shows that "
        "the study works, and proves nothing about the methods.</p>"
    )


def items(texts: Iterable[str]) -> str:
    """A list of sentences."""
    return f"<ul>{''.join(f'<li>{html.escape(text)}</li>' for text in texts)}</ul>"


def card(title: str, body: str, note: str = "", kind: str = "") -> str:
    """A section of a page, with a note; the body is HTML."""
    said = f"<p class=note>{html.escape(note)}</p>" if note else ""
    return f'<section class="card {kind}"><h2>{html.escape(title)}</h2>{said}{body}</section>'


def folded(title: str, body: str) -> str:
    """A section of a page that is closed until the reader opens it; the body is HTML."""
    return f"<details class=card><summary>{html.escape(title)}</summary>{body}</details>"
