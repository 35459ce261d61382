# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What `bea bench page` makes of what it saw; the run itself takes half an hour."""

from __future__ import annotations

import pytest

from bea_ros.__main__ import main
from bea_ros.bench import page


def test_blocks_with_pages_are_compared_with_their_neighbours(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The machine becomes slower and slower, which is no fault of the pages."""
    seconds = [
        1.005 ** (number // page.BLOCK) * (1.02 if page.is_open(number) else 1.0)
        for number in range(8 * page.BLOCK)
    ]
    found = []
    for done in range(201):  # 100 without pages, then 100 with them
        some, each = done > 100, (0.04, 1.03, 0.05) if done > 100 else (0.01, 1.0, 0.02)
        cpu = [sum(c) for c in zip(found[-1][2:5], each, strict=True)] if found else [0.0] * 3
        memory = 100.0 if done < 101 else 140.0
        found.append(page.Look(done, some, *cpu, time=float(done), memory=memory))
    page._print(found, 2**20, seconds, pages=10, same=True)
    log, pace, others, node, bench = capsys.readouterr().out.splitlines()
    assert log == "log: equal to a run without a page"
    assert "+2.0 % with 10 pages open (median of 4 pairs" in pace
    assert "95 % interval +1.5 to +2.5 %" in pace
    assert "use 1.00 CPU s for an evaluation with none, 1.03 with 10" in others
    assert "1.0 % of a core with none, 4.0 % with 10; 100 MiB in the first third" in node
    assert "2.0 % of a core with none, 5.0 % as 10 browsers" in bench


def test_too_few_evaluations_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "page", "--evaluations", "99"]) == 2
    assert "bench page needs 100 --evaluations or more" in capsys.readouterr().err
