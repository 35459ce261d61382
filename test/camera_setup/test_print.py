# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What comes out of the printer: the PDF's pages at 300 dpi, cut, glued together and measured."""

import re
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from bea_ros.__main__ import main
from bea_ros.camera_setup.board import Board
from bea_ros.camera_setup.print_pdf import RULER, write_board, write_markers
from bea_ros.camera_setup.sheets import (
    CORNER,
    FLAP,
    PAPERS,
    PrintError,
    Sheet,
    floor_posters,
    robot_poster,
    sheets_of,
)
from bea_ros.localization.arena import Arena, FloorMarker, Marker
from bea_ros.localization.markers.aruco import make_detector
from bea_ros.robots import load_robot
from bea_ros.system.resources import resource_path

pdfium = pytest.importorskip("pypdfium2", reason="pypdfium2, which draws PDFs, is not installed")
DPI = 300
MM = 25.4 / DPI  # of a pixel
TOLERANCE = 0.1  # mm


def pages(path: Path) -> list[np.ndarray]:
    """The pages in grey, (height, width)."""
    document = pdfium.PdfDocument(path)
    images = [page.render(scale=DPI / 72).to_numpy() for page in document]
    return [cv2.cvtColor(image[:, :, :3], cv2.COLOR_BGR2GRAY) for image in images]


def sides(image: np.ndarray, dictionary: str) -> dict[int, np.ndarray]:
    """Lengths (mm) of the sides of all markers, by id."""
    small = cv2.resize(image, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    corners, ids = make_detector(dictionary)(small)
    stop = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 50, 1e-3)
    found = {}
    for i, rough in zip(ids.tolist(), corners, strict=True):
        start = (4 * rough + 1.5).astype(np.float32).reshape(4, 1, 2)
        fine = cv2.cornerSubPix(image, start, (15, 15), (-1, -1), stop).reshape(4, 2)
        found[i] = np.linalg.norm(fine - np.roll(fine, 1, 0), axis=1) * MM
    return found


def glued(sheets: list[Sheet], images: list[np.ndarray]) -> np.ndarray:
    """The plate, from its pieces cut out of the pages."""
    plate = round(sheets[0].poster.plate / MM)
    whole = np.full((plate, plate), 90, np.uint8)
    edge = round(CORNER / MM)
    for sheet, image in zip(sheets, images, strict=True):
        left, top, right, bottom = (round(side / MM) for side in sheet.piece)
        piece = image[edge : edge + bottom - top, edge : edge + right - left]
        whole[top : top + piece.shape[0], left : left + piece.shape[1]] = piece
    return whole


@pytest.mark.parametrize(("paper", "corners"), [("a4", 4), ("letter", 1)])
def test_every_marker_is_as_large_as_the_arena_says(
    paper: str, corners: int, tmp_path: Path
) -> None:
    robot = load_robot("spider9")
    marker = Marker(robot.marker.id, robot.marker.size)
    arena = Arena.load(resource_path("config/arena.yaml"))
    arena = replace(arena, robot_marker=marker, floor_markers=arena.floor_markers[:corners])
    posters = [robot_poster(robot, arena), *floor_posters(arena)]
    divided = [sheets_of(poster, paper) for poster in posters]
    assert [len(sheets) for sheets in divided] == [1] + corners * [2]
    path = tmp_path / "markers.pdf"
    write_markers(path, [sheet for sheets in divided for sheet in sheets])
    drawn = pages(path)
    height, width = drawn[0].shape
    assert (width * MM, height * MM) == pytest.approx(PAPERS[paper], abs=2 * MM)
    for marker, sheets in zip((arena.robot_marker, *arena.floor_markers), divided, strict=True):
        images, drawn = drawn[: len(sheets)], drawn[len(sheets) :]
        found = sides(glued(sheets, images), arena.dictionary)
        assert found.keys() == {marker.id}
        assert np.abs(found[marker.id] - 1000 * marker.size).max() < TOLERANCE
        for sheet, image in zip(sheets, images, strict=True):
            assert_nothing_is_lost(sheet, image)
    assert drawn == []


def assert_nothing_is_lost(sheet: Sheet, image: np.ndarray) -> None:
    """Printers leave 5 mm white; the next sheet continues where the flap shows what it shows."""
    border = image.copy()
    edge = round(5 / MM)
    border[edge:-edge, edge:-edge] = 255
    assert border.min() == 255
    if sheet.number < sheet.count:
        assert sheet.printed[2] - sheet.piece[2] == FLAP


def test_the_flap_shows_what_the_next_sheet_begins_with(tmp_path: Path) -> None:
    arena = Arena.load(resource_path("config/arena.yaml"))
    first, second = sheets_of(floor_posters(arena)[0], "a4")
    write_markers(tmp_path / "markers.pdf", [first, second])
    one, other = pages(tmp_path / "markers.pdf")
    edge = round(CORNER / MM)
    right = edge + round((first.piece[2] - first.piece[0]) / MM)
    rows, columns = round(first.piece[3] / MM), round(FLAP / MM)
    flap = one[edge + 5 : edge + rows - 5, right + 9 : right + columns - 9]
    begin = other[edge + 5 : edge + rows - 5, edge + 9 : edge + columns - 9]
    assert (flap != begin).mean() < 0.01
    assert flap.std() > 50


def test_the_ruler_is_as_long_as_it_says(tmp_path: Path) -> None:
    arena = Arena.load(resource_path("config/arena.yaml"))
    (sheet,) = sheets_of(robot_poster(load_robot("spider9"), arena), "a4")
    write_markers(tmp_path / "markers.pdf", [sheet])
    (image,) = pages(tmp_path / "markers.pdf")
    below = image[round((CORNER + sheet.poster.plate + 10) / MM) :] < 128
    runs = [np.diff(np.flatnonzero(np.diff(np.pad(row, 1).astype(np.int8)))).max(initial=0)
            for row in below]  # fmt: skip
    assert max(runs) * MM == pytest.approx(RULER, abs=0.25)  # with half of each end mark


@pytest.mark.parametrize("paper", PAPERS)
def test_the_board_s_squares_are_true_and_all_its_corners_found(
    paper: str, tmp_path: Path
) -> None:
    board = Board()
    write_board(tmp_path / "board.pdf", board, paper)
    (image,) = pages(tmp_path / "board.pdf")
    found, ids = board.find(image)
    assert sorted(ids.tolist()) == list(range(len(board.corners)))
    truth = 1000 * board.corners[ids][:, :2]
    apart = np.linalg.norm(found[:, None] - found[None], axis=2) * MM
    wanted = np.linalg.norm(truth[:, None] - truth[None], axis=2)
    assert np.abs(apart - wanted).max() < TOLERANCE


def test_titles_say_where_a_marker_belongs() -> None:
    arena = Arena(
        4.0, 3.0, Marker(0, 0.1),
        (FloorMarker(12, 0.2, 1.85, 1.35), FloorMarker(3, 0.2, -1.85, 1.35, np.pi / 2),
         FloorMarker(5, 0.2, 0.0, 0.0)),
    )  # fmt: skip
    posters = floor_posters(arena)
    assert [poster.title for poster in posters] == [
        "marker 12 - corner front left",
        "marker 3 - corner back left",
        "marker 5 - floor middle",
    ]
    assert "top edge towards +y" in posters[0].notes[1]
    assert "top edge towards -x" in posters[1].notes[1]
    robot = robot_poster(load_robot("gecko7"), arena)
    assert robot.title == "marker 5 - robot gecko7"
    assert "its right edge to the robot's front" in robot.notes[1]


def test_a_marker_of_many_sheets_is_glued_from_rows_and_columns(tmp_path: Path) -> None:
    arena = Arena(9.0, 9.0, Marker(0, 0.1), (FloorMarker(7, 0.4, 1, 1),))
    (poster,) = floor_posters(arena)
    sheets = sheets_of(poster, "a4")
    assert len(sheets) == 8
    write_markers(tmp_path / "large.pdf", sheets)
    found = sides(glued(sheets, pages(tmp_path / "large.pdf")), arena.dictionary)
    assert np.abs(found[7] - 400).max() < 4 * TOLERANCE  # cut on whole pixels here
    giant = Arena(9.0, 9.0, Marker(0, 0.1), (FloorMarker(7, 2.0, 1, 1),))
    with pytest.raises(PrintError, match="2000 mm needs more than 36 sheets"):
        sheets_of(floor_posters(giant)[0], "a4")


def test_the_command_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "new" / "markers.pdf"
    assert main(["markers", "--robot", "gecko7", "--output", str(path)]) == 0
    said = capsys.readouterr().out
    assert "marker 3 - corner front left: 200 mm, 2 pages to glue together" in said
    assert len(pdfium.PdfDocument(path)) == 9
    assert main(["markers", "--output", str(path / "more.pdf")]) == 2
    assert capsys.readouterr().err == f"bea markers: {path}: File exists\n"
    assert main(["markers", "--robot", "spider8"]) == 2


def test_each_robot_of_an_arena_gets_a_marker_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["spider9", "gecko7", "spider9", "babyA", "spider9"]
    words = ["--robot", *asked[:3], "--robot", *asked[3:]]
    assert main(["markers", *words, "--output", str(tmp_path / "markers.pdf")]) == 0
    said = capsys.readouterr().out
    ids = [int(i) for i in re.findall(r"^marker (\d+) - ", said, re.MULTILINE)]
    assert len(ids) == len(set(ids)) == len(asked) + 4
    assert not {8, 9, 17, 47} & set(ids), "whose mirror images look like themselves"
    names = re.findall(r"bea learn --robot (\S+)$", said, re.MULTILINE)
    assert [load_robot(name).marker.id for name in names] == [ids[2], ids[4]]
    each = [word for name in asked for word in ("--robot", name)]
    assert main(["markers", *each, "--output", str(tmp_path / "markers.pdf")]) == 0
    assert capsys.readouterr().out == said
