# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""All that a run says, by a process on a terminal of its own, which loads no more than that."""

import sys
from pathlib import Path

from bea_ros.nodes.learner.progress import Progress


def say_everything():
    """A run's lines at their longest."""
    progress = Progress(budget=1500, done=0, best=None, unit="m/s")
    progress.began("spider9", "directed_locomotion", Path("runs/spider9-directed_locomotion-1"))
    for number, stage in enumerate(("repertoire", "initial", "bayesian", "evolutionary"), 1):
        for _ in range(2):
            progress._began -= 120  # s: 50 hours are left
            progress.evaluated(number, stage, fitness=-0.1234, best=-0.1234 + 0.1 * number)
    progress.note("evaluation 4 cannot be trusted: " + "the robot was not seen for 0.8 s, " * 4)
    progress.paused(
        "evaluation 4: " + "the camera is silent, " * 5, "/learner/resume", Path("r"), True
    )
    progress.stopped(Path("r"), "evaluation 4: " + "the camera is silent, " * 5)
    progress.finished(Path("r"), None)


if __name__ == "__main__":
    if "gone" in sys.argv:
        print("learning", flush=True)
        sys.stdin.read()
    say_everything()
