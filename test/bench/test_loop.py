# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What `bea bench loop` makes of the nodes' processes; the run itself takes a minute."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bea_ros.bench import loop
from bea_ros.runs.folder.run_folder import LOG


def test_cpu_time_is_that_of_the_evaluations_after_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node takes 5 s to start and 2 s an evaluation; the first one makes the log at its end."""

    def learn(output: Path, *_: object, total: int) -> Iterator[dict[str, Any]]:
        for tenths in range(10 * total + 1):
            if tenths >= 10:
                (output / LOG).touch()
            yield {"learner": 5.0 + 0.2 * tenths}

    monkeypatch.setattr(loop, "learn", learn)
    monkeypatch.setattr(loop, "cpu_seconds", lambda nodes: nodes)
    assert loop._learn(tmp_path) == {"learner": pytest.approx(2.0, rel=0.02)}
