# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pages in one look: each is one file that needs no other, by day and by night, on any screen."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

CROWDED = 12  # columns of a table, beyond which its letters are smaller
ENOUGH = 5  # runs of a method, below which nothing can be said of it
LOOK = files("bea_ros.report").joinpath("look")


def content(name: str) -> str:
    """A file of the look, as text."""
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
    """Names and values side by side; `notes` say in a line what some of them are."""
    cells = (
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>"
        + (f"<p class=note>{html.escape(notes[name])}</p>" if notes and name in notes else "")
        + "</div>"
        for name, value in values.items()
    )
    return f"<dl class=facts>{''.join(cells)}</dl>"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the first column is words, the others are numbers.

    Where it is wider than the screen, it is a list, each value beside its heading (tables.js).
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
    return (
        f'<div class=scroll><table class="lined{crowded}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def pairs(values: Mapping[str, str]) -> str:
    """A table of names and what they are, both words."""
    lines = (
        f"<tr><th scope=row>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
        for name, value in values.items()
    )
    return f'<div class=scroll><table class="lined words">{"".join(lines)}</table></div>'


def caution(runs: int) -> str:
    """What a study of few `runs` of each method, as a quick one is, says at its top."""
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
    """A part of a page, with what to know about it; the body is HTML."""
    said = f"<p class=note>{html.escape(note)}</p>" if note else ""
    return f'<section class="card {kind}"><h2>{html.escape(title)}</h2>{said}{body}</section>'


def folded(title: str, body: str) -> str:
    """A part of a page that is opened by who wants it; the body is HTML."""
    return f"<details class=card><summary>{html.escape(title)}</summary>{body}</details>"
