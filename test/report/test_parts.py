# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What pages say that no run decides."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from browser import Browser

from bea_ros.report import pages
from bea_ros.report.interactive import rhythm
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CpgNetwork


def test_the_rhythm_is_that_of_a_single_oscillator() -> None:
    robot = load_robot("spider9")
    weights = dict.fromkeys(robot.parameter_names, 0.0)
    weights[robot.joints[0].name] = 2.0  # rad/s
    assert rhythm(CpgNetwork.from_weights(robot, weights)) == pytest.approx(np.pi, rel=0.06)


def test_few_runs_prove_nothing() -> None:
    assert "At most 2 runs of each method" in pages.caution(2)
    assert "proves nothing" in pages.caution(1)
    assert not pages.caution(20)


@pytest.mark.graph
def test_the_values_of_one_time_stand_in_a_line_of_a_folded_table(
    browser: Browser, tmp_path: Path
) -> None:
    headings = ["function", "runs", "BEA", "BO", "p", "Holm"]
    for seconds in ("0.1 s", "1 s", "10 s"):
        headings += [f"time, {seconds}", "BEA then", "BO then", "Holm of that"]
        headings += [f"by the paper's cost, {seconds}", "BEA then", "BO then", "Holm of that"]
    row = ["schwefel, shifted off the centre", *("0.0625 of it" for _ in headings[1:])]
    (tmp_path / "page.html").write_text(pages.page("A study", "", pages.table(headings, [row])))
    browser.open(f"file://{tmp_path}/page.html", 1280)
    browser.wait(lambda: browser.element("thead").value_of_css_property("display") == "none")
    places = {name: browser.element(f'td[data-label="{name}"]').location for name in headings}
    for name in headings:
        if name.startswith(("time", "by the")):
            assert places[name]["x"] == places["function"]["x"], name
    assert places["BEA then"]["y"] == places["time, 0.1 s"]["y"] == places["Holm of that"]["y"]
