# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea bench optimizers`: the options, and what is done in which order."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bea_ros.studies.engine.options import SELECTION
from bea_ros.system.files import read_whole

if TYPE_CHECKING:
    from bea_ros.studies.optimizers.measure import Run

FULL: dict[str, Any] = {
    "functions": ["textbook", "textbook-shifted", "rotated"],
    "seeds": 20, "slow_seeds": 2, "evaluations": 1500, "limit": 120.0,
    "output": Path("bench/optimizers"),
}  # fmt: skip
QUICK: dict[str, Any] = {
    "functions": ["schwefel-textbook", "griewank-textbook-shifted", "rastrigin-rotated"],
    "seeds": 2, "slow_seeds": 1, "evaluations": 300, "limit": 6.0,
    "output": Path("bench/optimizers-quick"),
}  # fmt: skip
GRACE = 60.0  # s beyond ten times the limit after which a run that does not end is killed
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; nothing heavy is imported for that."""
    add = parser.add_argument
    add(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="folder of the runs, resumed if it exists (default bench/optimizers)",
    )
    add(
        "--functions",
        nargs="+",
        metavar="NAME",
        help=f"only these {SELECTION} (default: textbook textbook-shifted rotated)",
    )
    add(
        "--ours",
        nargs="*",
        metavar="NAME",
        default=["bea", "bo", "ea"],
        help="our optimizers, like bo or bea-paper or bea-released",
    )
    add("--peers", nargs="*", metavar="NAME", help="only these peers (default: all installed)")
    add("--seeds", type=int, help="runs of each method on each function (default 20)")
    add(
        "--slow-seeds",
        type=int,
        help="at most so many runs of peers that take a second or more per ask (default 2)",
    )
    add("--evaluations", type=int, help="evaluations of a run (default 1500)")
    add("--dimension", type=int, default=20, help="dimension of the functions")
    add("--limit", type=float, metavar="S", help="CPU s after which a run is cut (default 120)")
    add("--jobs", type=int, default=-1, help="runs at a time (default: one per core)")
    add("--quick", action="store_true", help="the same outputs in a few minutes")


def run(parsed: argparse.Namespace) -> int:
    """Carry out the runs that are missing, print the tables and write the report.

    Raises ValueError for what is not allowed.
    """
    from bea_ros.studies.engine.data import read_settings
    from bea_ros.studies.functions.problems import select
    from bea_ros.studies.optimizers import report, results

    settings = {
        name: value if getattr(parsed, name) is None else getattr(parsed, name)
        for name, value in (QUICK if parsed.quick else FULL).items()
    }
    _check(parsed, settings)
    methods, missing = methods_of(parsed.ours, parsed.peers)
    folder, evaluations = settings["output"], settings["evaluations"]
    runs = _runs(select(settings["functions"]), methods, settings, parsed.dimension)
    found = _found(runs, folder, settings, parsed)
    if not found:
        raise ValueError("none of the runs came to an end")
    present = report.in_order({result["method"] for result in found})
    functions = dict.fromkeys(result["function"] for result in found)
    tables = {name: results.table(found, present, name) for name in functions}
    tables = {name: rows for name, rows in tables.items() if rows}
    report.show(tables)
    lead = (
        f"d = {parsed.dimension}, {evaluations} evaluations, up to "
        f"{1 + max(result['seed'] for result in found)} seeds, {settings['limit']:g} CPU s a run"
    )
    missing = [name for name in missing if name not in present]
    packages = read_settings(folder)[1]
    print(f"wrote {report.write(folder, lead, tables, packages, missing)}")
    return 0


def _found(
    runs: Sequence[Run], folder: Path, settings: dict[str, Any], parsed: argparse.Namespace
) -> list[dict[str, Any]]:
    """Results of the runs, which are carried out where need be, and of others in the folder.

    What the data have is not repeated, also where the files of the runs are gone, but for errors,
    which may have been mended since.
    """
    from bea_ros.studies.engine.data import SETTINGS, check_settings, versions, write_settings
    from bea_ros.studies.functions.problems import NAMES
    from bea_ros.studies.optimizers import results
    from bea_ros.studies.optimizers.methods import OURS, PEERS

    evaluations, path = settings["evaluations"], folder / "runs.csv"
    decisive = {
        "dimension": parsed.dimension, "evaluations": evaluations, "limit": settings["limit"],
    }  # fmt: skip
    check_settings(folder, decisive)
    known = {results.key_of(result): result for result in results.load(path, evaluations)}
    missing = [run for run in runs if run.key not in known or known[run.key]["error"]]
    if missing or not (folder / SETTINGS).exists():
        packages = versions("numpy", "scipy", "cma", "cmaes", "nevergrad", "botorch",
                            "scikit-optimize", "bayesian-optimization", "optuna")  # fmt: skip
        write_settings(folder, decisive, packages)
    if missing:
        _carry_out(missing, folder / "runs", parsed.jobs)
    new = results.read(folder / "runs", [run.name for run in missing])
    known |= {results.key_of(result): result for result in new}
    place = {name: number for number, name in enumerate((*NAMES, *OURS, *PEERS))}
    found = sorted(
        known.values(),
        key=lambda r: (r["seed"], place.get(r["function"], -1), place.get(r["method"], -1)),
    )
    if new:
        results.save(path, found, evaluations)
    return found


def _check(parsed: argparse.Namespace, settings: dict[str, Any]) -> None:
    from bea_ros.system.execution import check_jobs

    check_jobs(parsed.jobs)
    for name, least in (("seeds", 1), ("slow_seeds", 0), ("evaluations", 20)):
        if settings[name] < least:
            flag = name.replace("_", "-")
            raise ValueError(f"--{flag} {settings[name]}: at least {least} is needed")
    if not settings["limit"] > 0:
        raise ValueError(f"--limit {settings['limit']:g}: seconds above 0")


def methods_of(ours: Sequence[str], peers: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Those that can run here, and the peers that cannot; all peers if none are given.

    Raises ValueError for one that is unknown.
    """
    from bea_ros.studies.optimizers.methods import OURS, PEERS

    for name in ours:
        if name not in OURS:
            raise ValueError(f"unknown optimizer '{name}', only {', '.join(OURS)}")
    wanted = list(PEERS) if peers is None else peers
    for name in wanted:
        if name not in PEERS:
            raise ValueError(f"unknown peer '{name}', only {', '.join(PEERS)}")
    missing = [name for name in wanted if not PEERS[name].installed]
    for name in missing:
        print(f"without {name}: pip install {PEERS[name].package}")
    return [*ours, *(name for name in wanted if name not in missing)], missing


def _runs(
    functions: Sequence[str], methods: Sequence[str], settings: dict[str, Any], dimension: int
) -> list[Run]:
    from bea_ros.studies.functions.problems import create
    from bea_ros.studies.optimizers.measure import Run
    from bea_ros.studies.optimizers.methods import PEERS

    for name in functions:
        create(name, dimension)  # refuses what cannot be
    slow = {name for name, peer in PEERS.items() if peer.slow}
    return [
        Run(method, function, seed, dimension, settings["evaluations"], settings["limit"])
        for seed in range(settings["seeds"])
        for function in functions
        for method in methods
        if method not in slow or seed < settings["slow_seeds"]
    ]


def _carry_out(runs: Sequence[Run], folder: Path, jobs: int) -> None:
    from bea_ros.system.execution import for_each, progress

    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{run.name}.json" for run in runs]
    missing = [run for run, path in zip(runs, paths, strict=True) if not _done(run, path)]
    with progress(len(runs), lambda: sum(path.exists() for path in paths)):
        for_each(_in_a_process, missing, folder.absolute(), jobs=jobs, scheduler="")


def _done(run: Run, path: Path) -> bool:
    """Whether a run need not be carried out: an error may have been mended since.

    Raises ValueError where the file is of a run with other settings.
    """
    if not path.exists():
        return False
    stored = json.loads(read_whole(path))
    for name, value in asdict(run).items():
        if stored[name] != value:
            raise ValueError(
                f"{path} is of a run with {name} {stored[name]!r}, not {value!r}: "
                "choose another --output"
            )
    return not stored["error"]


def _in_a_process(run: Run, folder: Path) -> None:
    """Carry out a run in a process of its own, so that its memory can be told."""
    from bea_ros.studies.optimizers import measure

    answer = folder / f"{run.name}.json"
    command = [sys.executable, "-m", measure.__name__, json.dumps(asdict(run)), str(answer)]
    environment = {**os.environ, **dict.fromkeys(ONE_THREAD, "1")}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False,
            timeout=10 * run.limit + GRACE,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"{run.name}: killed, as it did not end at its limit", file=sys.stderr)
        return
    if not answer.exists():
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        print(f"{run.name}: {last}", file=sys.stderr)
