# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Divides markers over sheets of paper; all lengths in mm.

A marker is printed on a white plate. A plate that is too large for the paper is divided over
several sheets. Each sheet but the last continues beyond its edge, as a flap for the next sheet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bea_ros.images.arrays import Image
from bea_ros.localization.arena import Arena, FloorMarker, Marker
from bea_ros.robots import Robot

PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
MARGIN = 8.0  # white border that printers leave
QUIET = 1 / 8  # width of the white border of a marker, over the marker's side
FLAP = 10.0  # printed beyond an edge, to glue the next sheet on
TICKS = 5.0  # space around the print, for cutting marks
CORNER = MARGIN + TICKS
NOTES = (48.0, 52.0)  # width beside the plate, or height below it, for text and ruler
MOST_SHEETS = 36


class PrintError(ValueError):
    """A marker or board that cannot be printed; the message is one line."""


@dataclass(frozen=True)
class Poster:
    """A marker to print: its cells (n, n) of 0 and 255, its side, and lines of text about it."""

    title: str
    cells: Image
    side: float
    notes: tuple[str, ...]

    @property
    def plate(self) -> float:
        """Side of the white plate around the marker."""
        return self.side * (1 + 2 * QUIET)


@dataclass(frozen=True)
class Sheet:
    """A piece of a poster's plate on a page of `paper` (width, height).

    `piece` is the part of the plate on this sheet: left, top, right, bottom, from the plate's top
    left corner. `printed` is the same with the flap. The piece's top left corner is CORNER from
    the page's left and top. Notes are `beside` the plate or below it.
    """

    poster: Poster
    paper: tuple[float, float]
    piece: tuple[float, float, float, float]
    printed: tuple[float, float, float, float]
    beside: bool
    number: int
    count: int


def robot_poster(robot: Robot, arena: Arena) -> Poster:
    """The poster of a robot's marker."""
    x, y = robot.marker.pose[:3, :3].T[:2, 0]  # base_link's x axis in the marker's frame
    edges = (("right", x), ("top", y), ("left", -x), ("bottom", -y))
    front = max(edges, key=lambda edge: edge[1])[0]
    notes = (f"On the robot's back, flat and level; its {front} edge to the robot's front.",)
    marker = Marker(robot.marker.id, robot.marker.size)
    title = f"marker {marker.id} - robot {robot.name}"
    return _poster(title, marker, arena, notes)


def floor_posters(arena: Arena) -> list[Poster]:
    """The posters of an arena's floor markers."""
    posters = []
    for marker in arena.floor_markers:
        place = (
            f"Centre at x {marker.x:+.3f} m, y {marker.y:+.3f} m from the middle of the arena "
            f"(x forward, y left), top edge {_direction(marker.yaw)}."
        )
        notes = (
            place,
            "Flat on the floor. Measure its place and write it into the arena's YAML.",
        )
        posters.append(_poster(f"marker {marker.id} - {_where(marker)}", marker, arena, notes))
    return posters


def sheets_of(poster: Poster, paper: str) -> list[Sheet]:
    """The sheets of a poster, as few as possible on this paper; raises PrintError."""
    width, height = PAPERS[paper]
    space = (width - 2 * MARGIN, height - 2 * MARGIN)
    for columns, rows in _grids():
        piece = poster.plate / columns, poster.plate / rows
        used = (
            piece[0] + FLAP * (columns > 1) + 2 * TICKS,
            piece[1] + FLAP * (rows > 1) + 2 * TICKS,
        )
        beside = used[0] + NOTES[0] <= space[0] and used[1] <= space[1]
        below = used[0] <= space[0] and used[1] + NOTES[1] <= space[1]
        if beside or below:
            return list(_divide(poster, PAPERS[paper], columns, rows, not below))
    raise PrintError(
        f"{poster.title} of {poster.side:.0f} mm needs more than {MOST_SHEETS} sheets of {paper}"
    )


def _divide(
    poster: Poster, paper: tuple[float, float], columns: int, rows: int, beside: bool
) -> Iterator[Sheet]:
    wide, high = poster.plate / columns, poster.plate / rows
    for i in range(columns * rows):
        row, column = divmod(i, columns)
        piece = (column * wide, row * high, (column + 1) * wide, (row + 1) * high)
        flaps = FLAP * (column < columns - 1), FLAP * (row < rows - 1)
        printed = (piece[0], piece[1], piece[2] + flaps[0], piece[3] + flaps[1])
        yield Sheet(poster, paper, piece, printed, beside, i + 1, columns * rows)


def _grids() -> list[tuple[int, int]]:
    """Pairs of columns and rows, the fewest sheets first."""
    sides = range(1, math.isqrt(MOST_SHEETS) + 1)
    return sorted(
        ((c, r) for c in sides for r in sides), key=lambda grid: (grid[0] * grid[1], grid)
    )


def _poster(title: str, marker: Marker, arena: Arena, notes: tuple[str, ...]) -> Poster:
    side = 1000 * marker.size
    size = f"{arena.dictionary}, id {marker.id}, black square {side:g} mm"
    return Poster(title, np.asarray(arena.cells(marker)), side, (size, *notes))


def _where(marker: FloorMarker) -> str:
    """The marker's corner of the arena in words: x is forward in map, y to the left (REP-103)."""
    x = "front" if marker.x > 0 else "back" if marker.x < 0 else ""
    y = "left" if marker.y > 0 else "right" if marker.y < 0 else ""
    return f"corner {x} {y}" if x and y else f"floor {x or y or 'middle'}"


def _direction(yaw: float) -> str:
    """The direction of a marker's top edge in words, from its yaw (rad)."""
    degrees = round(math.degrees(yaw)) % 360
    usual = {0: "towards +y", 90: "towards -x", 180: "towards -y", 270: "towards +x"}
    return usual.get(degrees, f"turned {degrees} degrees anticlockwise from +y")
