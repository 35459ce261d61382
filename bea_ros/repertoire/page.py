# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a repertoire."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bea_ros.repertoire import pictures
from bea_ros.repertoire.ranking import expected
from bea_ros.repertoire.store import Repertoire
from bea_ros.report import pages, style
from bea_ros.system.files import replace_file
from bea_ros.tasks import Task, title_of

PAGE = "report.html"
LOOK = 15.0  # s after which poses are shown
# Scales of colours would run backwards if a dark page inverted them.
LIGHT = (
    "<style>@media (prefers-color-scheme: dark) { .figure { background: #fff; } "
    ".figure svg { filter: none; } }</style>"
)


def write(folder: Path, repertoire: Repertoire) -> Path:
    """Write the page and return its path."""
    look = min(LOOK, repertoire.duration)
    poses = pictures.ends(repertoire, look)
    draws = len(repertoire.physics)
    facts = {
        "ways to move": str(len(repertoire)),
        "modules": repertoire.generation,
        "weight range": f"{repertoire.weight_range:g} /s",
        "draws of physics": str(draws),
        f"furthest in {look:g} s": f"{np.nanmax(np.hypot(*poses[:, :2].T)):.2f} m",
        f"most turned in {look:g} s": f"{np.degrees(np.nanmax(np.abs(poses[:, 2]))):.0f}°",
    }
    furthest = pictures.best_per_direction(repertoire, look)
    sections = [
        style.picture(
            f"Where they get in {look:g} s",
            pictures.coverage(repertoire, look),
            "The robot starts at the cross, heading along x. Mean over the draws of physics.",
        ),
        style.picture(
            "The furthest in each direction",
            pictures.paths(repertoire, furthest, look),
            f"Over {look:g} s, a colour each, under all {draws} draws of physics.",
        ),
        style.picture(
            f"The same over {repertoire.duration:g} s",
            pictures.paths(repertoire, furthest, repertoire.duration),
        ),
    ]
    body = (
        LIGHT
        + pages.facts(facts)
        + f"<div class=pictures>{''.join(sections)}</div>"
        + style.picture("What survives", pictures.survival(repertoire, look))
    )
    known = {"command": "bea explore", **repertoire.made}
    by = ", ".join(f"{n} {value}" for n, value in known.items() if n not in ("command", "plan"))
    found = f"Found by {known['command']} ({by})" if by else f"Found by {known['command']}"
    lead = f"How {repertoire.robot} can move, for any task. {found}."
    replace_file(folder / PAGE, pages.page(f"Repertoire of {repertoire.robot}", lead, body))
    return folder / PAGE


def write_best(
    path: Path,
    repertoire: Repertoire,
    task: Task,
    duration: float,
    fitness: NDArray[np.float64],
    best: NDArray[np.intp],
) -> Path:
    """Write a page on the `best` for a task, by their `fitness` (n, draws); returns the path."""
    draws = len(repertoire.physics)
    sections = [
        style.picture(
            "Their paths",
            pictures.paths(repertoire, best, duration),
            f"Over {min(duration, repertoire.duration):g} s, a colour each, the best darkest "
            f"blue, under all {draws} draws of physics.",
        ),
        style.picture(
            "Where they are in the repertoire",
            pictures.over_repertoire(repertoire, expected(fitness), best, duration, task.unit),
            "A dot is where a candidate ends, its colour the mean fitness over the draws. The "
            "listed ones have a circle.",
        ),
    ]
    rows = [
        [str(number), f"{expected(fitness)[number]:.4f}"]
        + [f"{value:.4f}" if np.isfinite(value) else "fell" for value in fitness[number]]
        for number in best
    ]
    heading = ["candidate", f"mean ({task.unit})", *(f"draw {i + 1}" for i in range(draws))]
    title = f"{repertoire.robot}: {title_of(task.name)}"
    lead = f"The best of {len(repertoire)} candidates of a repertoire, {duration:g} s each."
    body = f"{LIGHT}<div class=pictures>{''.join(sections)}</div>{pages.table(heading, rows)}"
    replace_file(path, pages.page(title, lead, body))
    return path
