# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""report.html: what it says of a run, alone in its file, and what it does in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser

from bea_ros.report import pages
from bea_ros.report.happened import happened, numbers
from bea_ros.report.interactive import data_of, script
from bea_ros.report.page import describe, write_report
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.runs.folder.measurements import evaluations_of
from bea_ros.runs.folder.run_folder import RunFolder, read_evaluations
from bea_ros.tasks import TASKS, UNITS, Trajectory

EVIL = "</script><img src=x onerror=\"document.title='hacked'\">"
STAGES = ("initial", "bayesian", "evolutionary")


def record(number: int, names: list[str], **more: Any) -> dict[str, Any]:
    rng = np.random.default_rng(number)
    return {
        "evaluation": number,
        "stage": STAGES[min((number - 1) // 10, 2)],
        "parameters": dict(zip(names, rng.uniform(-1, 1, len(names)).tolist(), strict=True)),
        "fitness": float(rng.uniform(0, 0.0009) + 0.001 * number),
        "terms": {"displacement": 0.1},
        "attempts": 1,
        "time": {"at": f"2026-01-0{1 + number // 20}T10:00:00.000+00:00", "overhead": 0.2,
                 "evaluation": 30.0, "interruptions": 0},
        **more,
    }  # fmt: skip


FAILED = 3  # evaluations of a run of which none could be measured


def path(length: int = 120) -> Trajectory:
    t = np.linspace(0.0, 30.0, length)
    return Trajectory(t, 0.01 * t, 0.05 * np.sin(t), 0.1 * np.sin(t))


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    def made(count: int = 30, **request: Any) -> Path:
        names = load_robot("gecko7").parameter_names
        asked = {
            "robot": "gecko7", "generation": "small", "masses": "nominal", "task": "gait",
            "algorithm": "bea", "profile": "default", "evaluations": 40, "seed": 7,
            "duration": 30.0, "weight_range": 1.5, "options": {"gamma": 0.1}, **request,
        }  # fmt: skip
        run = RunFolder(tmp_path / "run", asked, {"numpy": "2.0", "commit": "abc1234"}, {})
        for number in range(1, count + 1):
            more: dict[str, Any] = {"attempts": 3} if number == 4 else {}
            more |= {"given_up": True} if number == 5 or count == FAILED else {}
            line = record(number, names, **more)
            if number == 2:
                line["time"]["evaluation"] = 0.0341  # as in one process
            run.append(line, path())
        run.close()
        return tmp_path / "run"

    return made


def text_of(page: str) -> str:
    words = re.sub(r"<(script|style).*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", words))


def test_what_happened_is_said_by_numbers_that_are_no_counts(make: Callable[..., Path]) -> None:
    said = text_of(write_report(make()).read_text())
    for words in (
        "Initial samples were tried: evaluation no. 1 to no. 10.",
        "Bayesian optimization chose: evaluation no. 11 to no. 20.",
        "The evolutionary algorithm chose: evaluation no. 21 to no. 30.",
        "handed over from Bayesian optimization to its evolutionary algorithm before evaluation "
        "no. 21.",
        "Tried again, as it could not be trusted or was interrupted: evaluation no. 4.",
        "Skipped or given up; it counts as the worst: evaluation no. 5.",
        "seed 7", "of 40 that were asked for", "2026-01-01", "commit abc1234", "gamma 0.1",
        "evaluation no. 30", "0.7 %", "14.6 min",
    ):  # fmt: skip
        assert words in said, words
    assert numbers([3, 5, 6, 7, 12]) == "no. 3, no. 5 to no. 7 and no. 12"
    turns = [record(n, ["a"], stage=STAGES[1 + n % 2]) for n in range(1, 5)]
    assert happened(turns, {"request": {"algorithm": "bea"}}) == [
        "The evolutionary algorithm chose: 2 evaluations from no. 1 to no. 3.",
        "Bayesian optimization chose: 2 evaluations from no. 2 to no. 4.",
        "Bayesian optimization and the evolutionary algorithm took turns from evaluation no. 1 "
        "on.",
    ]
    starts = [record(n, ["a"], stage=STAGES[n % 2]) for n in range(1, 5)]
    again = "Other starts of BEA began with evaluation no. 2 and no. 4."
    assert again in happened(starts, {"request": {"algorithm": "bea"}})
    warm = [record(n, ["a"], stage="initial") for n in range(1, 5)]
    assert happened(warm, {"request": {"algorithm": "bo", "start": [[0.5], [0.6]]}}) == [
        "The best candidates of another run were tried: evaluation no. 1 to no. 2.",
        "Initial samples were tried: evaluation no. 3 to no. 4.",
    ]
    bo = [record(1, ["a"], stage="bayesian")]
    assert happened(bo, {"request": {"algorithm": "bo"}}) == [
        "Bayesian optimization chose: evaluation no. 1."
    ]


def test_candidates_that_a_run_began_with_are_no_initial_samples() -> None:
    records = [record(n, ["a"], fitness=f) for n, f in enumerate((0.5, 0.4, 0.1, 0.2, 0.3), 1)]
    warm = {"request": {"warm_start": "/runs/one", "start": [[0.1], [0.2]]}}
    assert happened(records, warm) == [
        "The best candidates of /runs/one were tried: evaluation no. 1 to no. 2.",
        "Initial samples were tried: evaluation no. 3 to no. 5.",
    ]
    assert "best / median initial sample 2.5" in text_of(describe(records, {}, "m", head=warm))
    assert "initial sample" not in text_of(describe(records[:2], {}, "m", head=warm))
    adapted = {"request": {"adapt": "/runs/one", "start": [[0.1]]}}
    assert happened(records[:1], adapted) == [
        "The best gait of /runs/one was measured again: evaluation no. 1."
    ]


def test_a_short_run_says_why_it_has_no_evolutionary_stage() -> None:
    options = {"initial_samples": 10, "population": 10}
    asked = {"algorithm": "bea", "profile": "default", "options": options}
    for evaluations, why in ((90, "a run of at most 90 evaluations"), (91, "did not hand over")):
        head = {"request": {**asked, "evaluations": evaluations}}
        assert why in happened([record(1, ["a"])], head)[-1]


def test_the_page_needs_no_other_file_and_is_small(make: Callable[..., Path]) -> None:
    page = write_report(make()).read_text()
    without = page.replace("https://github.com/leeoniya/uPlot", "")
    without = without.replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(r"https?://|<link|src=|@import|url\(", without)
    names = load_robot("spider9").parameter_names
    records = [record(n, names) for n in range(1, 1501)]
    robot = load_robot("spider9")
    network = CpgNetwork(robot, np.random.default_rng(1).uniform(size=len(names)))
    paths = {n: path() for n in range(1, 1501)}
    assert len(script(data_of(records, paths, "m/s", (robot, network)))) < 1_900_000


def test_what_a_fitness_is_made_of_has_units(make: Callable[..., Path]) -> None:
    page = text_of(write_report(make()).read_text())
    assert re.search(r"displacement\s*0\.1000 m\b", page)


def test_a_mean_is_not_said_to_be_made_of_its_last_measurement() -> None:
    again, request = {"kind": "repetition"}, {"request": {"confirm": 2}}
    lines = [
        record(1, ["a"], fitness=fitness, terms={"fitness": fitness}, **more)
        for fitness, more in ((0.04, {}), (0.03, again), (0.02, again))
    ]
    once, thrice = (
        text_of(describe(evaluations_of(some), {}, "m/s", head=request))
        for some in (lines[:1], lines)
    )
    assert "Its fitness was made of: fitness 0.0400 m/s" in once
    assert "no. 1; best.yaml has it after 3 measurements, if at all" in once
    assert "best fitness 0.0300 m/s" in thrice
    assert "The last of its 3 measurements was made of: fitness 0.0200 m/s" in thrice
    assert "best.yaml" not in thrice


def test_a_best_is_no_multiple_of_a_median_near_zero() -> None:
    for lowest, told in ((0.0, True), (-0.1, False)):
        records = [record(n, ["a"], fitness=f) for n, f in enumerate((lowest, 0.001, 0.4), 1)]
        said = describe(records, {}, "m")
        assert ("best / median initial sample" in said) is told


def test_a_candidate_that_fell_when_repeated_was_doubted_by_nobody() -> None:
    fell = {"kind": "correction", "given_up": True}
    said = happened(evaluations_of([record(1, ["a"]), record(1, ["a"], **fell)]), {})
    assert "Skipped or given up; it counts as the worst: evaluation no. 1." in said
    assert not any("doubted" in words for words in said)


def test_each_term_of_a_task_has_a_unit() -> None:
    for task in TASKS.values():
        terms = task.evaluate(path()).terms
        assert terms.keys() - {"fitness"} <= UNITS.keys()


def test_a_robot_that_is_no_longer_there_costs_its_gait_alone(make: Callable[..., Path]) -> None:
    page = text_of(write_report(make(robot="/nowhere/ant.urdf.xacro")).read_text())
    assert "The best gait" not in page
    assert "Fitness" in page


def test_a_run_that_measured_nothing_has_no_best(
    make: Callable[..., Path], browser: Browser
) -> None:
    report = write_report(make(FAILED))
    page = text_of(report.read_text())
    assert "best fitness - no evaluation could be measured" in page
    assert "The best" not in page
    browser.open(report.as_uri())
    browser.wait_for("#chosen", "1")
    assert not browser.mistakes()


@pytest.mark.graph
def test_evaluations_are_looked_at_in_a_browser(
    browser: Browser, make: Callable[..., Path]
) -> None:
    report = write_report(make())
    browser.open(f"file://{report}", width=1280)
    browser.wait_for("#chosen", "no. 30")  # the best, until one is pointed at
    assert "0.0" in browser.text("#chosen")
    browser.point("#fitness .u-over", 0.02)
    browser.wait_for("#chosen", "no. 1")
    browser.point("#fitness .u-over", 0.02, click=True)
    browser.wait_for("#chosen", "no. 1 (kept")
    browser.wait_for("#chosen", "CPG weights")
    browser.element("#fitness").send_keys("\ue014\ue014\ue012")  # right, right, left
    browser.wait_for("#chosen", "no. 2 (kept")
    assert "0.034 s" in browser.text("#chosen")
    seconds = """const table = document.createElement("table"), line = {stage: "initial"};
        look.stageTable(table, [{...line, number: 1, onRobot: 0.1, overhead: 0.01}], "m");
        return table.querySelector("[data-label='time, s']").textContent"""
    assert browser.script(seconds) == "0.11"
    gained = """const table = document.createElement("table"), line = {stage: "initial"},
          rows = [{...line, fitness: 0, givenUp: true}, {...line, fitness: -0.3}];
        look.stageTable(table, rows.map((row) => ({...row, onRobot: 1, overhead: 0})), "rad");
        return table.querySelector("[data-label='gained, rad']").textContent"""
    assert browser.script(gained) == "0.0000", "the first measured is no gain"
    browser.element("#fitness").send_keys("\ue012")
    browser.wait_for("#chosen", "no. 1 (kept")
    first = read_evaluations(report.parent)[0]
    name, weight = next(iter(first["parameters"].items()))
    assert f"{weight:.2f}" in browser.text("#chosen")
    assert name in browser.text("#chosen")
    assert browser.element("#chosen polyline").get_attribute("points")
    browser.click("input[value=time]")
    browser.wait(lambda: "computation time" in browser.text("#fitness"))
    before = browser.element("#film .robot").get_attribute("transform")
    browser.click("#film button")
    browser.wait(lambda: browser.element("#film .robot").get_attribute("transform") != before)
    for dark in (False, True):
        for width in (360, 390, 800, 1280, 1600):
            browser.resize(width, dark=dark)
            browser.wait(lambda: not browser.overflow())
    assert not browser.mistakes()


@pytest.mark.graph
@pytest.mark.parametrize("columns", [4, 9, 14, 22])
def test_no_column_is_off_the_screen(browser: Browser, tmp_path: Path, columns: int) -> None:
    """A table that is too wide for the screen is a list, each value beside its heading."""
    headings = ["robot, task", *(f"by the paper's cost, {n} s" for n in range(1, columns))]
    row = ["spider9, directed locomotion", *(f"{n}.0625 m/s" for n in range(1, columns))]
    (tmp_path / "page.html").write_text(pages.page("A study", "", pages.table(headings, [row])))
    for width in (1600, 390, 1280, 360):
        browser.open(f"file://{tmp_path}/page.html", width)
        assert not browser.overflow()
    assert not browser.mistakes()


@pytest.mark.graph
def test_a_number_in_the_table_of_stages_is_not_broken(browser: Browser, tmp_path: Path) -> None:
    """3.50e-2 was: its second line was 2."""
    records = [record(n, ["a"], fitness=0.01 + 1e-6 * n) for n in range(1, 151)]
    page = tmp_path / "page.html"
    page.write_text(pages.page("A run", "", describe(records, {}, "m/s")))
    broken = """const text = document.createRange();
        return [...document.querySelectorAll('#stages td:nth-child(n+3)')].filter((cell) => (
          text.selectNodeContents(cell), text.getClientRects().length > 1)).length"""
    for width in (360, 545, 800, 960, 1000, 1100, 1280, 1600):
        browser.open(page.as_uri(), width)
        assert "e-" in browser.text("#stages")
        assert not browser.script(broken), width
        assert not browser.overflow(), width


@pytest.mark.graph
def test_names_are_text(browser: Browser, tmp_path: Path) -> None:
    records = [record(1, [EVIL, "b"], stage=EVIL, terms={EVIL: 1.0})]
    body = describe(records, {1: path()}, EVIL, head={"request": {EVIL: EVIL}, "versions": {}})
    page = tmp_path / "page.html"
    page.write_text(pages.page(EVIL, EVIL, body))
    assert json.loads(re.findall(r'id="data">(.*?)</script>', page.read_text())[0])["unit"] == EVIL
    browser.open(f"file://{page}", width=1280)
    browser.wait_for("#chosen", EVIL)
    assert browser.driver.title == EVIL
    assert not browser.script("return document.querySelectorAll('img').length")
    assert not browser.mistakes()
