# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Results of a learner for people: best.yaml and report.html."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bea_ros.runs.folder.measurements import measurements, spread
from bea_ros.runs.folder.run_folder import RunFolder
from bea_ros.tasks import Task


def write_best(folder: RunFolder, record: Mapping[str, Any], robot: str, task: Task) -> None:
    """Write the best candidate, with a comment: its fitness, and the spread of that."""
    values = measurements(record)
    sure = f", mean of {len(values)}, spread {spread(record):.4f}" if len(values) > 1 else ""
    folder.write_best(
        {
            "evaluation": record["evaluation"],
            "attempt": 1,
            "robot": robot,
            "names": list(record["parameters"]),
            "values": list(record["parameters"].values()),
        },
        f"{task.name}: {record['fitness']:.4f} {task.unit} in evaluation "
        f"{record['evaluation']}{sure}",
    )


def write_report(folder: Path, tell: Callable[[str], None]) -> Path | None:
    """Write report.html. If that fails, `tell` gets the reason, and the run is still valid."""
    from bea_ros.report.page import write_report  # takes its time to load: at the end, not before

    try:
        return write_report(folder)
    except (OSError, ValueError) as error:
        tell(f"no report: {error}")
        return None
