# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Marker sheets and the calibration board as PDF files of exact size; lengths in mm.

Patterns are outlines, not images, so viewers and printers do not smooth or align them.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from matplotlib.transforms import Bbox, TransformedBbox

from bea_ros.camera_setup.board import Board, Box, black_cells
from bea_ros.camera_setup.sheets import CORNER, MARGIN, PAPERS, TICKS, PrintError, Sheet
from bea_ros.system.files import replace_file

INCH = 25.4
POINT = INCH / 72
RULER = 100.0
_INK, _FAINT = "black", "0.45"
_SCALE = (
    "Print at 100 % (actual size), not fitted to the page. "
    f"The line between the end marks must measure {RULER:g} mm."
)


def write_markers(path: Path, sheets: Sequence[Sheet]) -> None:
    """Write sheets as a PDF, one per page."""
    with _pdf(path) as pdf:
        for sheet in sheets:
            page = _Page(sheet.paper)
            _draw_sheet(page, sheet)
            pdf.savefig(page.figure)


def write_board(path: Path, board: Board, paper: str) -> None:
    """Write the calibration board in landscape; raises PrintError if the paper is too small."""
    height, width = PAPERS[paper]
    if board.width > width - 2 * MARGIN or board.height > height - 2 * MARGIN - 22:
        raise PrintError(f"a board of {board.width:g} x {board.height:g} mm does not fit {paper}")
    page = _Page((width, height))
    left, top = (width - board.width) / 2, MARGIN
    page.fill([_moved(box, left, top) for box in board.black()])
    below = top + board.height
    page.ruler((width - MARGIN - RULER - 4, below + 14), vertical=False)
    text = (
        f"calibration board {board.columns} x {board.rows}, squares {board.square:g} mm, "
        f"{board.dictionary}: glue it on something flat and stiff. {_SCALE}"
    )
    page.text((left, below + 5), textwrap.wrap(text, 88), size=7)
    with _pdf(path) as pdf:
        pdf.savefig(page.figure)


@contextmanager
def _pdf(path: Path) -> Iterator[PdfPages]:
    content = io.BytesIO()
    with PdfPages(content, metadata={"Creator": "bea markers", "CreationDate": None}) as pdf:
        yield pdf
    replace_file(path, content.getvalue())


class _Page:
    """A page of paper (width, height); coordinates are in mm from its top left corner."""

    def __init__(self, paper: tuple[float, float]) -> None:
        width, height = paper
        mpl.rcParams["pdf.fonttype"] = 42  # text stays searchable
        self.figure = Figure(figsize=(width / INCH, height / INCH))
        self.axes = self.figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        self.axes.axis("off")

    def fill(self, boxes: Sequence[Box], within: Box | None = None) -> None:
        """Fill boxes with black as one outline, without white gaps between them."""
        outline = Outline.make_compound_path(*(_outline(box) for box in boxes))
        patch = PathPatch(outline, facecolor=_INK, edgecolor="none", linewidth=0)
        self.axes.add_patch(patch)
        if within is not None:
            area = Bbox.from_extents(within[0], within[3], within[2], within[1])
            patch.set_clip_box(TransformedBbox(area, self.axes.transData))

    def line(self, x: Sequence[float], y: Sequence[float], dashed: bool = False) -> None:
        style = (0, (6, 4)) if dashed else "solid"
        self.axes.plot(x, y, color=_FAINT, linewidth=0.5, linestyle=style)

    def text(self, corner: tuple[float, float], lines: Sequence[str], size: float) -> float:
        """Write lines of text of `size` (points); lines that start with "*" are bold.

        Returns the y at which the text ends (mm).
        """
        x, y = corner
        for line in lines:
            bold = line.startswith("*")
            weight = "bold" if bold else "normal"
            self.axes.text(x, y, line.lstrip("*"), size=size, weight=weight, va="top")
            y += 1.35 * size * POINT
        return y

    def ruler(self, start: tuple[float, float], vertical: bool) -> None:
        """A line of exactly RULER mm with a mark every 10 mm."""
        x, y = start
        points = [(10.0 * i, 2.5 if i % 10 == 0 else 1.2) for i in range(int(RULER / 10) + 1)]
        strokes = [((0.0, RULER), (0.0, 0.0)), *(((a, a), (-b, b)) for a, b in points)]
        for along, across in strokes:
            u, v = ([x + a for a in along], [y + b for b in across])
            if vertical:
                u, v = ([x + b for b in across], [y + a for a in along])
            self.axes.plot(u, v, color=_INK, linewidth=0.5, solid_capstyle="butt")
        where = (x + 3, y + RULER / 2) if vertical else (x + RULER / 2, y + 3)
        self.axes.text(*where, f"{RULER:g} mm", size=7, va="center" if vertical else "top")


def _draw_sheet(page: _Page, sheet: Sheet) -> None:
    poster = sheet.poster
    dx, dy = CORNER - sheet.piece[0], CORNER - sheet.piece[1]
    quiet = (poster.plate - poster.side) / 2
    page.fill(
        black_cells(poster.cells, quiet + dx, quiet + dy, poster.side),
        within=_moved(sheet.printed, dx, dy),
    )
    cut, printed = _moved(sheet.piece, dx, dy), _moved(sheet.printed, dx, dy)
    _draw_cutting_lines(page, cut, printed)
    lines = _notes(sheet, 30 if sheet.beside else 88)
    if sheet.beside:
        place = (printed[2] + TICKS, CORNER)
        end = page.text(place, lines, size=8)
        page.ruler((place[0] + 4, end + 6), vertical=True)
    else:
        place = (CORNER, printed[3] + TICKS)
        end = page.text(place, lines, size=8)
        page.ruler((CORNER, end + 5), vertical=False)


def _draw_cutting_lines(page: _Page, cut: Box, printed: Box) -> None:
    """Draw dashed lines to cut in white, and marks beside the pattern where sheets overlap."""
    left, top, right, bottom = cut
    for x, glued in ((left, False), (right, printed[2] > right)):
        if not glued:
            page.line([x, x], [top, bottom], dashed=True)
        for y, away in ((top, -1), (printed[3], 1)):
            page.line([x, x], [y + away, y + away * (TICKS - 1)])
    for y, glued in ((top, False), (bottom, printed[3] > bottom)):
        if not glued:
            page.line([left, right], [y, y], dashed=True)
        for x, away in ((left, -1), (printed[2], 1)):
            page.line([x + away, x + away * (TICKS - 1)], [y, y])


def _notes(sheet: Sheet, width: int) -> list[str]:
    paragraphs = list(sheet.poster.notes)
    if sheet.count > 1:
        flap = sheet.printed != sheet.piece
        paragraphs.insert(
            0,
            f"Sheet {sheet.number} of {sheet.count}. Cut along the dashed lines"
            + (
                "; the pattern continues past the marks: glue the next sheet on, with its edge "
                "at the marks."
                if flap
                else ", also through the pattern, and glue it on the one before."
            ),
        )
    else:
        paragraphs.append("Cut along the dashed line: the white around the square is needed.")
    title = [f"*{line}" for line in textwrap.wrap(sheet.poster.title, width - 6)]
    wrapped = [textwrap.wrap(paragraph, width) for paragraph in (*paragraphs, _SCALE)]
    return [*title, *(line for lines in wrapped for line in lines)]


def _moved(box: Box, dx: float, dy: float) -> Box:
    left, top, right, bottom = box
    return left + dx, top + dy, right + dx, bottom + dy


def _outline(box: Box) -> Outline:
    left, top, right, bottom = box
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    return Outline(corners, closed=True)
