# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea bench bbob`: the options, and what is done in which order."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from bea_ros.studies.bbob.runs import Run

FULL: dict[str, Any] = {
    "functions": ["all"], "dimensions": [10, 20], "instances": [1, 2, 3], "evaluations": 1500,
    "output": Path("bench/bbob"),
}  # fmt: skip
QUICK: dict[str, Any] = {
    "functions": ["1", "8", "10", "15", "21"], "dimensions": [5], "instances": [1],
    "evaluations": 300, "output": Path("bench/bbob-quick"),
}  # fmt: skip
USUAL_PEERS = (
    "cmaes", "pycma", "lq_cmaes", "nevergrad_ngopt", "scipy_slsqp", "scipy_de_small",
    "random_search",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; nothing heavy is imported for that."""
    add = parser.add_argument
    add(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="folder of the runs, resumed if it exists (default bench/bbob)",
    )
    add(
        "--functions",
        nargs="+",
        metavar="NAME",
        help="only these: 1 to 24, odd, even, or a group like multimodal (default: all)",
    )
    add("--dimensions", nargs="+", type=int, metavar="D", help="dimensions (default: 10 20)")
    add("--instances", nargs="+", type=int, metavar="I", help="instances (default: 1 2 3)")
    add("--seeds", type=int, default=1, help="runs on each instance")
    add("--evaluations", type=int, help="evaluations of a run (default 1500)")
    add(
        "--ours",
        nargs="*",
        metavar="NAME",
        default=["bea", "bo", "ea"],
        help="our optimizers, like bo or bea-paper",
    )
    add(
        "--peers",
        nargs="*",
        metavar="NAME",
        help=f"only these peers (default, where installed: {' '.join(USUAL_PEERS)})",
    )
    add("--limit", type=float, default=600.0, help="CPU s after which a run is cut")
    add("--jobs", type=int, default=-1, help="runs at a time (default: one per core)")
    add("--quick", action="store_true", help="the same outputs in a minute")


def run(parsed: argparse.Namespace) -> int:
    """Carry out the runs that are missing, print the tables and write the report.

    Raises ValueError for what is not allowed.
    """
    if find_spec("ioh") is None:
        raise ValueError("bea bench bbob needs the functions of BBOB: pip install ioh")
    from bea_ros.studies.bbob import report, runs
    from bea_ros.studies.engine.data import read_settings
    from bea_ros.studies.optimizers.command import methods_of

    settings = {
        name: value if getattr(parsed, name) is None else getattr(parsed, name)
        for name, value in (QUICK if parsed.quick else FULL).items()
    }
    _check(parsed, settings)
    peers = USUAL_PEERS if parsed.peers is None else parsed.peers
    methods, _ = methods_of(parsed.ours, peers)
    wanted = [
        runs.Run(
            method, function, dimension, instance, seed, settings["evaluations"], parsed.limit
        )
        for seed in range(parsed.seeds)
        for dimension in settings["dimensions"]
        for instance in settings["instances"]
        for function in runs.select(settings["functions"])
        for method in methods
    ]
    folder = settings["output"]
    table = _found(wanted, folder, settings, parsed)
    present = report.in_order(table, methods)
    if not present:
        raise ValueError("none of the runs came to an end")
    marks = runs.marks_of(settings["evaluations"])
    report.show(table, present, marks)
    dimensions, instances = (sorted(set(table[name])) for name in ("dimension", "instance"))
    lead = (
        f"d = {_list(dimensions)}, instances {_list(instances)}, "
        f"{settings['evaluations']} evaluations"
    )
    packages = read_settings(folder)[1]
    print(f"wrote {report.write(folder, lead, table, present, marks, packages)}")
    return 0


def _list(values: Sequence[int]) -> str:
    return ", ".join(str(value) for value in values)


def _check(parsed: argparse.Namespace, settings: dict[str, Any]) -> None:
    from bea_ros.system.execution import check_jobs

    check_jobs(parsed.jobs)
    least = {"evaluations": 20, "dimensions": 2, "instances": 1}
    for name, low in least.items():
        values = settings[name] if isinstance(settings[name], list) else [settings[name]]
        for value in values:
            if value < low:
                raise ValueError(f"--{name} {value}: at least {low} is needed")
    if parsed.seeds < 1:
        raise ValueError(f"--seeds {parsed.seeds}: at least 1 is needed")
    if not parsed.limit > 0:
        raise ValueError(f"--limit {parsed.limit:g}: seconds above 0")


def _found(
    wanted: Sequence[Run], folder: Path, settings: dict[str, Any], parsed: argparse.Namespace
) -> pd.DataFrame:
    """The wanted runs, carried out where the folder lacks them."""
    import pandas as pd

    from bea_ros.studies.bbob import results
    from bea_ros.studies.engine.data import SETTINGS, check_settings, versions, write_settings

    decisive = {"evaluations": settings["evaluations"]}
    check_settings(folder, decisive)
    path = folder / "runs.csv"
    known = results.load(path)
    keys = set(zip(*(known[name] for name in results.KEY), strict=True))
    missing = [run for run in wanted if results.key_of(run) not in keys]
    if missing or not (folder / SETTINGS).exists():
        packages = versions("numpy", "scipy", "ioh", "cma", "cmaes", "nevergrad")
        write_settings(folder, decisive, packages)
    if missing:
        _carry_out(missing, folder / "runs", parsed.jobs)
        new = results.read_runs(folder / "runs", missing)
        if len(new):
            known = pd.concat([known, new]) if len(known) else new
            results.save(path, known)
            known = results.load(path)
    asked = {results.key_of(run) for run in wanted}
    kept = [key in asked for key in zip(*(known[name] for name in results.KEY), strict=True)]
    return known[kept]


def _carry_out(runs: Sequence[Run], folder: Path, jobs: int) -> None:
    from bea_ros.studies.bbob.runs import carry_out
    from bea_ros.system.execution import for_each, progress

    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{run.name}.json" for run in runs]
    missing = [run for run, path in zip(runs, paths, strict=True) if not path.exists()]
    with progress(len(runs), lambda: sum(path.exists() for path in paths)):
        for_each(carry_out, missing, folder.absolute(), jobs=jobs, scheduler="")
