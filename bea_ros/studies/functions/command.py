# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea bench functions`: the options, and what is done in which order."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bea_ros.studies import study_options as options
from bea_ros.studies.study_options import SELECTION

if TYPE_CHECKING:
    from bea_ros.studies.functions.plan import Plan

EVALUATION_TIMES = (0.1, 1.0, 10.0)  # s (paper)
FOLDER = Path("bench/functions")
RUNS_FOLDER = "runs"
QUICK = {"repetitions": 3, "evaluations": 300, "switch": 100}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; nothing heavy is imported for that."""
    add = parser.add_argument
    options.add_output(parser, FOLDER)
    add("--functions", nargs="+", metavar="NAME", help=f"only these {SELECTION} (default: all)")
    add(
        "--algorithms",
        nargs="+",
        metavar="NAME",
        help="only these (default: bo ea bea bea-s1 bea-s2 bea-s3; bea transfers by S4)",
    )
    options.add_runs(parser, repetitions=20, switch=250)
    add("--dimension", type=int, help="dimension of the functions (default 20)")
    options.add_execution(parser)
    options.add_evaluation_time(
        parser, "what an evaluation is assumed to take, in the report (default 0.1 1 10)"
    )
    add("--report", action="store_true", help="only write the report again, from the data")


def run(parsed: argparse.Namespace) -> int:
    """Carry out what is missing of the study and write its report.

    Raises ValueError for what is not allowed.
    """
    from bea_ros.studies.functions import report
    from bea_ros.studies.functions.results import load

    options.check(parsed)
    plan = _plan(parsed)
    folder = options.folder_of(parsed, FOLDER, plan.profile)
    if not parsed.report:
        _carry_out(plan, folder, parsed.jobs, parsed.scheduler)
    path = report.write(folder, load(folder), parsed.evaluation_time or EVALUATION_TIMES)
    print(f"wrote {path}")
    return 0


def _plan(parsed: argparse.Namespace) -> Plan:
    from bea_ros.studies.functions.plan import Plan
    from bea_ros.studies.functions.problems import select

    given = options.given(
        parsed,
        ("functions", "algorithms", "repetitions", "evaluations", "dimension", "switch",
         "profile"),
    )  # fmt: skip
    if "functions" in given:
        given["functions"] = select(given["functions"])
    return replace(Plan(), **(QUICK if parsed.quick else {}) | given)


def _carry_out(plan: Plan, folder: Path, jobs: int, scheduler: str) -> None:
    from bea_ros.studies.functions import results
    from bea_ros.studies.functions.worker import SUFFIX, execute
    from bea_ros.studies.parallel import for_each, progress
    from bea_ros.studies.study_files import (
        SETTINGS,
        check_settings,
        read_settings,
        write_settings,
    )
    from bea_ros.studies.versions import versions

    check_settings(folder, plan.decisive)
    # What the data have is not repeated, also where the files of the runs are gone.
    known = results.known(folder)
    missing = [run for run in plan.runs() if run.key not in known]
    if not missing:
        return
    if (folder / SETTINGS).exists():
        plan = plan.including(read_settings(folder)[0])
    made_with = versions("numpy", "scipy", "scikit-learn")
    write_settings(folder, asdict(plan) | plan.decisive, made_with)
    files = (folder / RUNS_FOLDER).absolute()
    paths = [files / f"{run.name}{SUFFIX}" for run in missing]
    try:
        with progress(len(missing), lambda: sum(path.exists() for path in paths)):
            for_each(execute, missing, files, jobs=jobs, scheduler=scheduler)
    finally:  # what is done is worth a report also when it was stopped
        if found := results.collect(missing, files):
            results.save(folder, plan, found)
