# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Folders of runs with many evaluations, made in no time: nothing is simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from example_run import record, write_run


def make_run(folder: Path, evaluations: int = 12, gain: float = 1.0, **request: Any) -> Path:
    """A run of spider9; its fitness grows with `gain`, repetitions and a skipped one among it."""
    asked = {
        "robot": "spider9", "generation": "small", "masses": "nominal", "task": "gait",
        "algorithm": "bea", "profile": "default", "evaluations": evaluations, "seed": 1,
        "duration": 2.0, "weight_range": 1.5, "options": {"noise": 1e-5}, **request,
    }  # fmt: skip
    lines, rng = [], np.random.default_rng(asked["seed"])
    for number in range(1, evaluations + 1):
        line = record(number)
        line["fitness"] = gain * (0.01 * number + 0.001 * rng.standard_normal())
        if number == 3:
            line |= {"fitness": 0.0, "terms": {}, "given_up": True}
        lines.append(line)
        if number == 5:
            lines.append({**line, "fitness": 0.04, "kind": "repetition"})
    return write_run(folder, asked, *lines, surroundings={"arena": "/nowhere/arena.yaml"})
