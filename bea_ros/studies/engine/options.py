# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The options that studies share."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path
from typing import Any

SELECTION = (
    "functions, like rastrigin-rotated, or groups of them: authors, textbook (domains), "
    "authors-shifted, textbook-shifted, rotated"
)


PROFILE = "/PROFILE[-NAME-VALUE of --option]"  # below a study's folder


def add_output(parser: argparse.ArgumentParser, base: Path, below: str = PROFILE) -> None:
    """Declare the study's folder; by default `below` a base: one for each profile and option."""
    text = f"folder of the study, resumed if it exists (default {base}{below}, "
    text += f"{base}-quick{below} if quick)"
    parser.add_argument("--output", type=Path, metavar="FOLDER", help=text)


def add_names(parser: argparse.ArgumentParser, what: str, which: str) -> None:
    """Declare an option that selects some of the study's names."""
    text = f"only these{which if which[0] == ':' else f' {which}'}"
    parser.add_argument(f"--{what}", nargs="+", metavar="NAME", help=text)


def add_runs(
    parser: argparse.ArgumentParser, *, repetitions: int, switch: int, otherwise: str = ""
) -> None:
    """Declare number and length of the runs; the numbers are the defaults."""
    add = parser.add_argument
    runs = f"runs of each algorithm in each case (default {repetitions})"
    add("--repetitions", type=int, help=runs)
    number = "number of the first repetition, for other seeds (default 0)"
    add("--first", type=int, metavar="N", help=number)
    add("--evaluations", type=int, help="evaluations of a run (default 1500)")
    takes_over = f"evaluations after which BEA's EA takes over (default {switch}){otherwise}"
    add("--switch", type=int, help=takes_over)
    profiles = "settings of the algorithms: default, paper or released (default default)"
    add("--profile", help=profiles)
    option = "another option for those of the algorithms that have it"
    add("--option", dest="options", action="append", metavar="NAME=VALUE", help=option)


def add_execution(parser: argparse.ArgumentParser) -> None:
    """Declare the processes that carry out the runs."""
    add_jobs(parser, "two minutes")
    dask = "Dask scheduler whose workers carry out the runs; they must share the folder"
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help=dask)
    again = "run N finished runs, drawn at random, again: do they give the same digits?"
    parser.add_argument("--again", type=int, metavar="N", help=again)


def add_jobs(parser: argparse.ArgumentParser, quick: str) -> None:
    """Declare the number of parallel runs, and a short study, whose duration is `quick`."""
    add = parser.add_argument
    add("--jobs", type=int, default=-1, help="runs at a time (default: one per core)")
    add("--quick", action="store_true", help=f"the same outputs in {quick}")


def add_methods(parser: argparse.ArgumentParser, usual: str) -> None:
    """Declare the compared methods: our optimizers and peers, by default the `usual` ones."""
    add = parser.add_argument
    ours = (
        "our optimizers, like bo or bea-paper or bea:switch=500,restarts=false (default: bea "
        "bo ea)"
    )
    add("--ours", nargs="*", metavar="NAME", help=ours)
    without = "BEA without a heuristic, like screening or latin+ascent, beside it; an unknown "
    without += "name lists them"
    add("--without", nargs="+", metavar="NAME", help=without)
    add("--peers", nargs="*", metavar="NAME", help=f"only these peers (default{usual})")


def add_limit(parser: argparse.ArgumentParser, seconds: int) -> None:
    """Declare the evaluations and the time limit (CPU s) of a run."""
    add = parser.add_argument
    add("--evaluations", type=int, help="evaluations of a run (default 1500)")
    cut = f"CPU s after which a run is cut (default {seconds})"
    add("--limit", type=float, metavar="S", help=cut)


def add_evaluation_time(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Declare the evaluation times (s) of the report."""
    parser.add_argument("--evaluation-time", nargs="+", type=float, metavar="S", help=meaning)


def add_report(parser: argparse.ArgumentParser) -> None:
    """Declare the option that only writes the report."""
    text = "only write the report again, from the data"
    parser.add_argument("--report", action="store_true", help=text)


def read(parsed: argparse.Namespace, base: Path, plan: Any) -> tuple[Path, dict[str, Any]]:
    """The study's folder, and the fields of its plan that the user gave.

    The folder is --output, or the default of profile and options below a base. Lists become
    tuples, in which a name counts once. Raises ValueError for jobs or evaluation times that are
    not allowed.
    """
    from bea_ros.system.execution import check_jobs

    check_jobs(parsed.jobs)
    times = getattr(parsed, "evaluation_time", None)
    for seconds in times if isinstance(times, list) else [times]:
        if seconds is not None and not 0 < seconds < 1e6:
            raise ValueError("--evaluation-time takes seconds above 0")
    if parsed.quick:
        base = base.with_name(f"{base.name}-quick")
    chosen = sorted(getattr(parsed, "options", None) or ())
    if hasattr(parsed, "profile"):
        reading = "".join(f"-{word.replace('=', '-')}" for word in chosen)
        base /= f"{parsed.profile or 'default'}{reading}"
    names = [field.name for field in fields(plan)]
    given = {n: v for n, v in vars(parsed).items() if n in names and v is not None}
    if chosen:
        given["options"] = " ".join(chosen)
    given = {n: tuple(dict.fromkeys(v)) if isinstance(v, list) else v for n, v in given.items()}
    return parsed.output or base, given
