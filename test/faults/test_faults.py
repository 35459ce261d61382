# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A few faults of those that `make test-faults` does by the hundred; see campaign.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaign import campaign, grouped
from graph_under_test import Run
from scene import KINDS

pytestmark = pytest.mark.graph
QUICK = [
    "kill -9: learner", "hang: camera_localization", "stranger: joint_trajectory", "camera black",
    "disk full",
]  # fmt: skip


def test_a_few_faults_lose_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Run, "evaluations", 18)
    violations = campaign(2, len(QUICK), QUICK, tmp_path, per_run=5, timed=False)
    said = capsys.readouterr().out
    assert violations == 0, said
    assert f"{len(QUICK)} faults in 1 runs, 0 violations" in said


def test_of_kinds_at_once_none_is_done_to_the_same_thing() -> None:
    groups = grouped(sorted(KINDS), 2)
    assert sorted(name for group in groups for name in group) == sorted(KINDS)
    pairs = [group for group in groups if len(group) > 1]
    assert len(pairs) > len(KINDS) / 3
    for one, other in pairs:
        assert not set(KINDS[one][1]) & set(KINDS[other][1])
        assert not (one.startswith("disk") and other.startswith(("disk", "power cut")))
