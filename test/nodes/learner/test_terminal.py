# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a learner says on the terminal."""

import re
from pathlib import Path

from bea_ros.nodes.learner.progress import Progress


def test_a_resumed_run_says_its_last_evaluation_again_when_it_is_corrected(capsys):
    progress = Progress(budget=20, done=12, best=0.5, unit="m/s")
    progress.began("spider9", "gait", Path("run"))
    progress.evaluated(12, "bo", fitness=0.3, best=0.4)
    progress.evaluated(13, "bo", fitness=0.6, best=0.6)
    began, corrected, better = capsys.readouterr().out.splitlines()
    assert began == "spider9 goes on after 12 of 20 evaluations: gait, into run"
    assert re.fullmatch(r"bo +12/20  fitness +0.3000  best +0.4000 m/s .* left", corrected)
    assert re.fullmatch(r"bo +13/20  fitness +0.6000  best +0.6000 m/s .* left  \*", better)


def test_what_is_to_be_typed_can_be_typed_for_a_folder_with_spaces(capsys):
    progress = Progress(budget=20, done=12, best=0.5, unit="m/s")
    progress.paused("no marker", "/learner/resume", Path("my run"), fails=True)
    progress.stopped(Path("my run"))
    progress.finished(Path("my run"), report=None)
    paused, stopped, finished = capsys.readouterr().out.splitlines()
    assert "bea operator resume 'my run' (or:" in paused
    assert paused.endswith("bea operator skip 'my run'")
    assert stopped.endswith("bea report 'my run'")
    assert finished.endswith("bea replay 'my run'")
