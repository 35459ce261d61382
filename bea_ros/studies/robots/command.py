# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea bench robots`: the options, and what is done in which order."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bea_ros.studies import study_options as options

if TYPE_CHECKING:
    from bea_ros.studies.robots.plan import Plan

EVALUATION_TIMES = (0.1, 1.0)  # s; the paper's simulated gait took about 1 s
FOLDER = Path("bench/robots")
RUNS_FOLDER = "runs"
QUICK: dict[str, Any] = {"repetitions": 2, "evaluations": 30, "switch": 15, "duration": 2.0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; nothing heavy is imported for that."""
    add = parser.add_argument
    options.add_output(parser, FOLDER)
    add("--robots", nargs="+", metavar="NAME", help="only these (default: spider9 gecko7 babyA)")
    add("--tasks", nargs="+", metavar="NAME", help="only these (default: the paper's three)")
    add(
        "--algorithms",
        nargs="+",
        metavar="NAME",
        help="only these (default: bo ea bea; in profile default cma too, if pycma is there)",
    )
    options.add_runs(parser, repetitions=10, switch=300)
    add("--duration", type=float, help="s of an evaluation (default: the task's own)")
    add(
        "--noise",
        action="store_true",
        default=None,
        help="poses with errors like the overhead camera's",
    )
    options.add_execution(parser)
    options.add_evaluation_time(
        parser, "write the report for evaluations that take so long, without simulating"
    )


def run(parsed: argparse.Namespace) -> int:
    """Carry out what is missing of the study and write its report.

    Raises ValueError for what is not allowed.
    """
    from bea_ros.studies.robots import report
    from bea_ros.studies.robots.results import load

    options.check(parsed)
    folder = options.folder_of(parsed, FOLDER, parsed.profile or "default")
    if parsed.evaluation_time is None:
        try:
            _carry_out(_plan(parsed, folder), folder, parsed.jobs, parsed.scheduler)
        except KeyboardInterrupt:
            print(
                "stopped. The same command goes on. A report of the runs that are finished: "
                f"bea bench robots --output {shlex.quote(str(folder))} --evaluation-time 0.1 1"
            )
            raise
    path = report.write(folder, load(folder), parsed.evaluation_time or EVALUATION_TIMES)
    print(f"wrote {path}")
    return 0


def _plan(parsed: argparse.Namespace, folder: Path) -> Plan:
    """What the options ask for; what they leave open is as the folder's study has it, if any."""
    from bea_ros.studies.robots.plan import ALGORITHMS, Plan
    from bea_ros.studies.study_files import SETTINGS, check_settings, read_settings, reading

    published = parsed.profile not in (None, "default")
    base = Plan() if published else Plan(algorithms=ALGORITHMS)
    if parsed.quick:
        base = replace(base, **QUICK)
    if (folder / SETTINGS).exists():
        with reading(folder):
            settings, _ = read_settings(folder)
        if not settings.keys() <= {field.name for field in fields(Plan)}:
            raise ValueError(f"{folder} is not of a study of robots: choose another --output")
        before = Plan.of(settings)
        if parsed.quick and before.evaluations != base.evaluations:
            raise ValueError(f"{folder} holds another study than --quick: choose another --output")
        base = before
    given = options.given(
        parsed,
        ("robots", "tasks", "algorithms", "repetitions", "evaluations", "switch", "profile",
         "duration", "noise"),
    )  # fmt: skip
    plan = replace(base, **given)
    check_settings(folder, plan.decisive)
    return plan


def _carry_out(plan: Plan, folder: Path, jobs: int, scheduler: str) -> None:
    from bea_ros.studies.robots.plan import installed
    from bea_ros.studies.robots.results import collect, known, save
    from bea_ros.studies.robots.scheduling import carry_out
    from bea_ros.studies.study_files import SETTINGS, read_settings, write_settings
    from bea_ros.studies.versions import versions

    # What the data have is not repeated, also where the files of the runs are gone.
    before = known(folder)
    keys = {result.key for result in before}
    missing = [run for run in plan.runs() if run.key not in keys]
    for name in plan.algorithms:
        if not installed(name) and any(run.algorithm == name for run in missing):
            print(f"without {name}: pip install {name}")
    missing = [run for run in missing if installed(run.algorithm)]
    if not missing:
        return
    if (folder / SETTINGS).exists():
        plan = plan.including(read_settings(folder)[0])
    write_settings(folder, asdict(plan), versions("numpy", "scipy", "mujoco", "cma"))
    files = (folder / RUNS_FOLDER).absolute()
    try:
        carry_out(missing, files, jobs, scheduler)
    finally:  # what is done is worth keeping also when it was stopped
        if found := collect(missing, files):
            save(folder, plan, before + found)
