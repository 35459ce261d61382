# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea explore: a search, then longer trials of its elites under more draws of physics."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from itertools import tee
from pathlib import Path
from shlex import quote

import numpy as np
from threadpoolctl import threadpool_limits

from bea_ros.repertoire.plan import Plan, physics_of, poses_of
from bea_ros.repertoire.search import FIRST, Search
from bea_ros.repertoire.store import FILE, Repertoire, RepertoireError, fingerprint
from bea_ros.repertoire.trials import Trials
from bea_ros.repertoire.trying import Array, paths_of
from bea_ros.robots import Robot
from bea_ros.robots.motion import CommandedMotion
from bea_ros.robots.urdf import hash_of
from bea_ros.simulation.physics import RANGES, stored
from bea_ros.system.execution import backend, check_jobs, progress, results
from bea_ros.system.files import read_whole, replace_file
from bea_ros.system.versions import commit_of_checkout, versions_of

PLAN, SEARCHED, KEPT = "plan.json", "searched.bin", "kept.bin"
PACKAGES = ("numpy", "mujoco", "ribs")


def explore(
    plan: Plan, folder: Path, evaluations: int, jobs: int = -1, scheduler: str = ""
) -> Repertoire:
    """Make the repertoire of a plan, with `evaluations` rounded up to whole batches.

    After Ctrl-C or a crash it resumes from the data in `folder`. `jobs` and `scheduler` are as in
    `execution.for_each`; the repertoire does not depend on them.

    Raises:
        RepertoireError: the folder has another plan.
        ValueError, OSError: an argument is wrong, or the folder cannot be written.
    """
    check_jobs(jobs)
    robot = plan.load_robot()
    _begin(folder, plan, robot)
    batches = 1 + max(0, -(-(evaluations - FIRST) // plan.batch))
    dimension = len(robot.parameter_names)
    with (
        backend(scheduler),
        threadpool_limits(1),
        Trials(folder / SEARCHED, dimension, (plan.draws, poses_of(plan.duration), 3)) as searched,
    ):
        motion = CommandedMotion(robot, plan.duration, plan.weight_range)
        search = Search(dimension, plan.seed, plan.batch, motion, plan.draws)
        _advance(search, plan, searched, batches, jobs)
        if not len(search.elites):
            raise RepertoireError(f"{robot.name} falls over with every candidate")
        candidates = searched.records()["candidate"][search.elites]
        paths = _try_longer(plan, folder, candidates, jobs)
    repertoire = Repertoire(
        robot.name,
        fingerprint(robot),
        plan.generation,
        plan.weight_range,
        tuple(robot.parameter_names),
        candidates,
        paths,
        physics_of(plan.kept_draws),
        _made(plan, evaluations),
    )
    repertoire.save(folder / FILE)
    return repertoire


def _begin(folder: Path, plan: Plan, robot: Robot) -> None:
    """Write the plan, or check that the folder has the same one."""
    path = folder / PLAN
    wanted = {**asdict(plan), "ranges": stored(RANGES), "urdf": hash_of(robot.urdf)}
    if not path.exists():
        for data in (folder / SEARCHED, folder / KEPT):
            if data.exists():
                raise RepertoireError(
                    f"{folder} has no {PLAN}: {data.name} may be of other settings. Remove it, or "
                    "choose another --output"
                )
        replace_file(path, json.dumps(wanted, indent=1) + "\n")
        return
    try:
        before = json.loads(read_whole(path))
        changed = [n for n in {**before, **wanted} if before.get(n) != wanted.get(n)]
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise RepertoireError(f"{path} is damaged: choose another --output") from None
    for name in changed:
        if name == "urdf":
            raise RepertoireError(
                f"{folder} is an exploration of {robot.name} before its file was changed, or by "
                "an earlier version: choose another --output"
            )
        raise RepertoireError(
            f"{folder} is an exploration with {name} {before.get(name)!r}, not "
            f"{wanted.get(name)!r}: choose another --output"
        )


def _advance(search: Search, plan: Plan, searched: Trials, batches: int, jobs: int) -> None:
    """Run a number of batches of a search; batches in the file are read from there."""
    remark, start = "", 0
    total = FIRST + (batches - 1) * plan.batch
    with progress(total, lambda: len(searched), "searching", lambda: remark):
        for end in range(FIRST, total + 1, plan.batch):
            asked = search.ask()
            for known in searched.records(start, end)["candidate"]:
                if not np.array_equal(known, next(asked)):
                    raise RepertoireError(
                        f"{searched.path} has other candidates than this version of bea_ros or of "
                        "its libraries would try: choose another --output"
                    )
            _try(searched, asked, plan, plan.draws, plan.duration, jobs)
            search.tell(searched.records(start, end)["paths"])
            start, remark = end, search.remark


def _made(plan: Plan, evaluations: int) -> dict[str, str]:
    """How a repertoire was made: command, plan and versions."""
    usual = Plan()
    further = "".join(
        f" --{name.replace('_', '-')} {getattr(plan, name)}"
        for name in ("generation", "masses", "weight_range")
        if getattr(plan, name) != getattr(usual, name)
    )
    return {
        "command": f"bea explore --robot {quote(plan.robot)} --seed {plan.seed} "
        f"--evaluations {evaluations}{further}",
        "plan": ", ".join(f"{name} {value}" for name, value in asdict(plan).items()),
        "commit": commit_of_checkout() or "unknown",
        **versions_of(*PACKAGES),
    }


def _try_longer(plan: Plan, folder: Path, candidates: Array, jobs: int) -> Array:
    """Return paths of the elites, longer and under more draws than in the search."""
    shape = plan.kept_draws, poses_of(plan.kept_duration), 3
    with Trials(folder / KEPT, candidates.shape[1], shape) as kept:
        done = {record["candidate"].tobytes() for record in kept.records()}
        missing = [candidate for candidate in candidates if candidate.tobytes() not in done]
        start = len(candidates) - len(missing) - len(kept)
        with progress(len(candidates), lambda: start + len(kept), "trying what is kept"):
            _try(kept, missing, plan, plan.kept_draws, plan.kept_duration, jobs)
        found = {record["candidate"].tobytes(): record["paths"] for record in kept.records()}
    return np.array([found[candidate.tobytes()] for candidate in candidates], dtype=float)


def _try(
    trials: Trials,
    candidates: Iterable[Array],
    plan: Plan,
    draws: int,
    duration: float,
    jobs: int,
) -> None:
    """Evaluate candidates as they come; write each one when it and all earlier ones are done."""
    candidates, tasks = tee(candidates)
    found = results(paths_of, tasks, plan, draws, duration, jobs=jobs)
    for candidate, paths in zip(candidates, found, strict=True):
        trials.add(candidate, paths)
