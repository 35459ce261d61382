# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Groups of runs: differing settings, results of each group, and significance of differences."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bea_ros.robots import robot_name
from bea_ros.runs.folder.budgets import budgets_of
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.loading import Run, load_run, runs_below
from bea_ros.studies.engine.statistics import holm, mann_whitney, resample
from bea_ros.system.terminal import printable

Array = NDArray[np.float64]
# Settings that must be equal for a comparison of fitness.
CASE = ("robot", "generation", "masses", "task", "duration")
REPEATED = ("seed",)  # settings that differ between repetitions
SURROUNDINGS = ("arena", "config")
QUARTILES = (25.0, 50.0, 75.0)


@dataclass(frozen=True)
class Curve:
    """A run's best fitness so far after each evaluation and its time (s), shape (n,) each."""

    run: Run
    best: Array
    time: Array

    def after(self, evaluations: int) -> float:
        """The best fitness after this number of evaluations; NaN before the first."""
        return float(resample(np.arange(1, len(self.best) + 1), self.best, evaluations))


@dataclass(frozen=True)
class Group:
    """Runs with the same settings; groups of the same `case` may be compared."""

    case: str
    name: str
    unit: str
    curves: list[Curve]


def read_runs(folders: Sequence[Path], tell: Callable[[str], object] = print) -> list[Run]:
    """The runs in these folders and their subfolders, each once; raises RunFolderError.

    One that is damaged or has nothing measured is left out, and `tell` gets the reason.
    """
    found: dict[Path, Run | None] = {}
    for folder in folders:
        below = runs_below(folder)
        if not below:
            raise RunFolderError(f"{folder} holds no run")
        for path in below:
            if path.resolve() not in found:
                found[path.resolve()] = _sound(path, tell)
    runs = [run for run in found.values() if run]
    if len(runs) < 2:
        raise RunFolderError(f"{len(runs)} run with a measurement: two or more can be compared")
    return runs


def _sound(folder: Path, tell: Callable[[str], object]) -> Run | None:
    """The run in a folder, or None if it is damaged or has nothing measured."""
    try:
        run = load_run(folder)
    except (RunFolderError, OSError) as error:
        tell(printable(f"left out, as it is damaged: {error}: bea doctor {quote(str(folder))}"))
        return None
    if not run.best:
        tell(printable(f"left out, as no evaluation was measured: {folder}"))
        return None
    return run


def groups_of(runs: Sequence[Run]) -> list[Group]:
    """The runs grouped by case and differing settings, in the order given."""
    settings = [_settings(run) for run in runs]
    for name in ("robot", "prior", *SURROUNDINGS):
        _tell_apart(name, runs, settings)
    cased = [tuple(one.get(name) for name in CASE) for one in settings]
    varied = [len(set(map(repr, values))) > 1 for values in zip(*cased, strict=True)]
    shown = list(compress(CASE, varied))
    differ = {
        case: differing(list(compress(settings, (one == case for one in cased))))
        for case in set(cased)
    }
    groups: dict[tuple[Any, ...], Group] = {}
    for run, said, case in zip(runs, settings, cased, strict=True):
        names = differ[case]
        key = (case, *(str(said.get(name)) for name in names))
        title = ", ".join(_word(name, said.get(name)) for name in shown)
        chosen = [name for name in names if said.get(name) not in (None, "")]
        label = ", ".join(_word(name, said.get(name)) for name in chosen or names)
        usual = f"{robot_name(str(said.get('robot')))}, {said.get('task')}"
        group = Group(title or usual, label or "all", run.unit, [])
        groups.setdefault(key, group).curves.append(_curve(run))
    return list(groups.values())


def differing(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Settings that differ between runs, other than those of the case and the seed.

    An optimizer's option counts if runs of one algorithm and profile differ in it.
    """
    words = pd.DataFrame([{name: repr(value) for name, value in one.items()} for one in settings])
    words = words.fillna(repr(None))
    counts = words.nunique()
    of_kind = words.groupby(["algorithm", "profile"]).nunique().max()
    counts.update(of_kind.filter(regex="^option "))
    return [name for name in words if name not in (*CASE, *REPEATED) and counts[name] > 1]


def table_of(groups: Sequence[Group]) -> pd.DataFrame:
    """A row per group: median and quartiles of the best fitness at the end, and `then`, after the
    evaluations (`at`) that all runs of the case have; median computation time (s).

    `p` is that of the difference `then` to the case's first group (two-sided Mann-Whitney), if
    both have several runs; `p_holm` is corrected over all of them.
    """
    rows = []
    for case in dict.fromkeys(group.case for group in groups):
        members = [group for group in groups if group.case == case]
        at = min(len(curve.best) for group in members for curve in group.curves)
        first = [curve.after(at) for curve in members[0].curves]
        for group in members:
            then = [curve.after(at) for curve in group.curves]
            counts = sorted({len(curve.best) for curve in group.curves})
            alone = min(len(first), len(then)) < 2  # one run has no spread
            rows.append({
                "case": case, "group": group.name, "runs": len(then),
                "evaluations": f"{counts[0]}" + f"-{counts[-1]}" * (len(counts) > 1),
                **_quartiles("best", [float(curve.best[-1]) for curve in group.curves]),
                "at": at, **_quartiles("then", then),
                "time": float(np.median([curve.time[-1] for curve in group.curves])),
                "p": np.nan if alone or group is members[0] else mann_whitney(first, then),
            })  # fmt: skip
    table = pd.DataFrame(rows)
    table["p_holm"] = holm(table["p"])
    return table


def _quartiles(name: str, values: Sequence[float]) -> dict[str, float]:
    """The median and both quartiles, by name of their column; NaN if a run has no value."""
    low, median, high = np.percentile(values, QUARTILES)
    return {name: median, f"{name}_q1": low, f"{name}_q3": high}


def _curve(run: Run) -> Curve:
    table = run.evaluations
    spent = table["time.evaluation"] + table["time.overhead"]
    return Curve(run, table["best"].to_numpy(float), spent.cumsum().to_numpy(float))


def _settings(run: Run) -> dict[str, Any]:
    """All settings of a run as one flat dict; the optimizer's options are `option NAME`."""
    # A warm start's candidates follow from its folder, a repertoire from the prior.
    left = ("options", "start", "repertoire")
    said = {name: value for name, value in run.request.items() if name not in left}
    said.setdefault("motor", "servo")
    said.setdefault("images", True)
    options = run.request.get("options")
    if isinstance(options, dict):
        said |= {f"option {name}": value for name, value in options.items()}
        switch, budgets = options.get("switch"), budgets_of(run.request)
        if isinstance(switch, int) and budgets and switch >= budgets[0][1]:
            said["option switch"] = "never"  # its number follows from the first budget
    said["enough"] = run.surroundings.get("enough", 0)
    return said | {name: run.surroundings.get(name, "") for name in SURROUNDINGS}


def _tell_apart(name: str, runs: Sequence[Run], settings: Sequence[dict[str, Any]]) -> None:
    """Replace the path of a file by its name. Files with the same contents get the first one's
    name; a hash follows if files of one name differ.
    """
    names: dict[str, str] = {}  # of files, by hash
    digests = []
    for run, said in zip(runs, settings, strict=True):
        given = str(said.get(name) or "")
        content = run.files.get(name, given)
        if name == "prior":
            content = run.request.get("repertoire", given)
        if isinstance(content, dict):  # which marker a robot has changes no fitness
            content = {n: v for n, v in content.items() if n not in ("marker_id", "robot_marker")}
        digests.append(hashlib.sha256(repr(content).encode("utf-8", "replace")).hexdigest()[:6])
        names.setdefault(digests[-1], robot_name(given) if name == "robot" else Path(given).name)
    contents = Counter(names.values())
    for said, digest in zip(settings, digests, strict=True):
        word = names[digest]
        said[name] = f"{word or 'default'} {digest}" if contents[word] > 1 else word


def _word(name: str, value: Any) -> str:
    """A setting in a label."""
    if name == "robot":
        return robot_name(str(value))
    if name in ("task", "algorithm"):
        return str(value)
    if name == "duration" and value:
        return f"{value:g} s"
    short = Path(value).name if name in SURROUNDINGS and value else value
    if isinstance(short, bool):
        short = "yes" if short else "no"
    return f"{name.removeprefix('option ')} {'none' if short in (None, '') else short}"
