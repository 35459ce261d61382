# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Breaks the real graph at random moments, by a seed, and checks that nothing is lost or moves.

    python test/faults/campaign.py --seed 1 --faults 200
    python test/faults/campaign.py --seed 1 --faults 100 --together 2

Each run of `bea learn` gets a few faults and is resumed where one of them stopped it. Then
- its log equals that of an undisturbed run, all but `time` and `attempts`;
- no command and no joint was outside the joints' limits, and 0.5 s after the learner was gone no
  command changed any more (added is what the machine stalled this watcher itself, and how long
  simulated time stood still, as another node hung);
- every stop had a reason in words, no process hung, none ended in a traceback, none was left.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import random
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.extend(
    str(Path(__file__).resolve().parents[1] / place)
    for place in ("faults", "nodes", "nodes/stand_ins")
)

from disk import Disk
from graph_under_test import INTERRUPTED, QUIET_FOR_LACK, REASON, Run, log_of
from kinds import (  # noqa: F401 (they register themselves)
    machine_faults,
    message_faults,
    servo_faults,
    twin_faults,
)
from onlooker import Onlooker
from scene import KINDS, Scene

from bea_ros.bringup.supervisor import free_domain

SILENCE = 0.5  # s until the robot is still
# Of these no two at once: they do something to the same disk, or wait for what another one ends.
ALONE = ("disk", "power cut", "second learner")


@dataclass
class Done:
    """A fault that was done."""

    kind: str
    what: str
    outcome: str = "went on"
    reason: str = ""  # that a run gave when it stopped

    @property
    def skipped(self) -> bool:
        """It could not be done here, or came when all was over."""
        return self.what.startswith(("skipped", "too late"))


@dataclass
class Trial:
    """A run with its faults, and what was wrong."""

    faults: list[Done]
    violations: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)  # joints that moved when they should be still


def campaign(
    seed: int,
    faults: int,
    kinds: list[str],
    place: Path,
    per_run: int = 8,
    timed: bool = True,
    together: int = 1,
) -> int:
    """Do that many faults, so many `together`; returns the number of violations.

    Without `timed` no time is held against a robot that moves: a loaded machine may need more.
    """
    chance = random.Random(seed)
    disk = Disk(place)
    lock, domain = free_domain(range(70, 102))
    try:
        wanted = undisturbed(disk, domain)
        order = itertools.cycle(chance.sample(kinds, len(kinds)))
        trials: list[Trial] = []
        done = 0
        while done < faults and len(trials) < faults:
            names = [next(order) for _ in range(min(per_run, faults - done))]
            groups = grouped(names, together)
            trial = disturb(disk, len(trials), domain, groups, chance.randrange(2**32), wanted)
            trial.violations += trial.late if timed else []
            trials.append(trial)
            done += sum(not fault.skipped for fault in trial.faults)
            for fault in trial.faults:
                line = f"{fault.kind:<34} {fault.what:<26} {fault.outcome} {fault.reason}"
                print(line.rstrip(), flush=True)
            for violation in trial.violations:
                print(f"VIOLATION in run {len(trials)}: {violation}", flush=True)
    finally:
        disk.close()
        if lock:
            lock.close()
    return summary(trials)


def undisturbed(disk: Disk, domain: int) -> list[str]:
    run = Run(disk.folder / "undisturbed", domain, factor=0.0, alone=True)
    run.wait_for_progress(run.evaluations)
    if run.process.wait(QUIET_FOR_LACK) != 0:
        raise RuntimeError(f"even the undisturbed run failed: {run.said}")
    return log_of(run.folder)


def grouped(names: list[str], together: int) -> list[list[str]]:
    """Kinds that are done at once: those that do not do it to the same thing."""
    groups: list[list[str]] = []
    for name in names:
        fitting = (g for g in groups if len(g) < together and all(apart(name, o) for o in g))
        if group := next(fitting, None):
            group.append(name)
        else:
            groups.append([name])
    return groups


def apart(one: str, other: str) -> bool:
    both_alone = one.startswith(ALONE) and other.startswith(ALONE)
    return not both_alone and not set(KINDS[one][1]) & set(KINDS[other][1])


def done_at_once(group: list[str], scene: Scene) -> list[Done]:
    """Do these faults, each in a thread and by draws of its own."""
    scenes = [replace(scene, chance=random.Random(scene.chance.random())) for _ in group]
    with ThreadPoolExecutor(len(group)) as pool:
        found = pool.map(lambda name, one: Done(name, KINDS[name][0](one)), group, scenes)
    return list(found)


def disturb(
    disk: Disk, number: int, domain: int, groups: list[list[str]], seed: int, wanted: list[str]
) -> Trial:
    """A run with these kinds of faults, those of a group at once, to its end."""
    chance = random.Random(seed)
    found = {topic for group in groups for name in group for topic in KINDS[name][1]}
    relayed = tuple(sorted(found))
    onlooker = Onlooker(domain, relayed)
    run = Run(disk.folder / f"run{number}", domain, relayed)
    scene = Scene(run, onlooker, chance, disk, [])
    trial = Trial([])
    try:
        for position, group in enumerate(groups):
            place = 1 + position * (run.evaluations - 6) // len(groups)
            if not reach(trial, run, max(place, run.done)):
                return trial
            time.sleep(chance.uniform(0.0, 0.4))
            if run.done >= run.evaluations - 1:
                break  # nothing is left to be disturbed
            starts = len(run.started)
            faults = done_at_once(group, scene)
            trial.faults += faults
            for fault in faults:
                if fault.what.startswith("VIOLATION"):
                    trial.violations.append(f"{fault.kind}: {fault.what}")
            if not reach(trial, run, min(run.done + 2, run.evaluations)):
                return trial
            if len(run.started) > starts:
                for fault in faults:
                    fault.outcome, fault.reason = "stopped with a reason, resumed", run.reason
        if reach(trial, run, run.evaluations):
            finish(trial, run)
        check_joints(trial, scene)
        if log_of(run.folder) != wanted:
            trial.violations.append(f"the log differs: {difference(log_of(run.folder), wanted)}")
    finally:
        if trial.violations or trial.late:
            keep(run.output)
        if run.folder.exists():
            disk.protect(run.folder, False)
        run.end()
        onlooker.close()
    return trial


def keep(said: Path) -> None:
    """Keep what a run said, as the disk that it is on goes."""
    with tempfile.NamedTemporaryFile(prefix="violation_", suffix=".txt", delete=False) as file:
        file.write(said.read_bytes())
    print(f"what it said: {file.name}", flush=True)


def reach(trial: Trial, run: Run, evaluations: int) -> bool:
    """Let it go on to so many evaluations, resumed as often as it stops with a reason."""
    for _ in range(10):
        if not run.wait_for_progress(evaluations):
            trial.violations.append(f"it hangs: {run.said[-300:]}")
            return False
        if run.done >= run.evaluations or (run.done >= evaluations and run.alive):
            return True
        check_end(trial, run)
        run.end()
        run.start()
    trial.violations.append(f"it stops again and again: {run.reason}")
    return False


def finish(trial: Trial, run: Run) -> None:
    """All evaluations are there: it ends by itself."""
    since, used = time.monotonic(), run.processor_time()
    while run.alive and not run.hangs(since, used):
        time.sleep(0.05)
    if run.alive:
        trial.violations.append("all is done, and it does not end")
    elif run.process.returncode != 0:
        check_end(trial, run)


def check_end(trial: Trial, run: Run) -> None:
    """A stop has a reason in words, unless the one who would say it was killed."""
    said = run.said
    run.reason = ([match[0] for match in REASON.finditer(said)] or [""])[-1]
    if "Traceback" in said:
        trial.violations.append(f"a traceback: {said[-1500:]}")
    code = run.process.poll()
    killed = code is not None and (code < 0 or code in (130, 143))
    if not killed and not REASON.search(said) and not INTERRUPTED.search(said):
        trial.violations.append(f"it ended ({code}) without a reason: {said[-300:]}")


def check_joints(trial: Trial, scene: Scene) -> None:
    if scene.onlooker.wrong:
        trial.violations.append(scene.onlooker.wrong[0])
    for since, end in scene.gone:
        until = min([end, *(at for at in scene.run.started if at > since)])
        moved = scene.onlooker.moved_after(since, until)
        allowed = SILENCE + scene.onlooker.stalled(since, until)
        allowed += scene.onlooker.paused(since, since + moved)
        if moved > allowed:
            trial.late.append(
                f"a command changed {moved:.2f} s after the learner was gone "
                f"(allowed {allowed:.2f})"
            )


def difference(log: list[str], wanted: list[str]) -> str:
    for number, (one, other) in enumerate(itertools.zip_longest(log, wanted), 1):
        if one != other:
            return f"line {number}: {str(one)[-250:]} instead of {str(other)[-250:]}"
    return "nothing"


def summary(trials: list[Trial]) -> int:
    """Print the table of faults by kind; returns the number of violations."""
    rows: dict[str, collections.Counter] = {}
    for trial in trials:
        for fault in trial.faults:
            outcome = "skipped" if fault.skipped else fault.outcome
            rows.setdefault(fault.kind, collections.Counter())[outcome] += 1
    outcomes = ("went on", "stopped with a reason, resumed", "skipped")
    print(f"\n| fault | times | {' | '.join(outcomes)} |\n|---|---|{'---|' * len(outcomes)}")
    for kind, counts in sorted(rows.items()):
        cells = " | ".join(str(counts[outcome]) for outcome in outcomes)
        print(f"| {kind} | {counts.total()} | {cells} |")
    faults = sum(not fault.skipped for trial in trials for fault in trial.faults)
    violations = sum(len(trial.violations) for trial in trials)
    print(f"\n{faults} faults in {len(trials)} runs, {violations} violations")
    return violations


def run_campaign(parsed: argparse.Namespace, place: Path) -> int:
    return campaign(parsed.seed, parsed.faults, parsed.kinds, place, together=parsed.together)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, default=40)
    parser.add_argument("--together", type=int, default=1, help="kinds at once")
    parser.add_argument("--kinds", nargs="*", default=sorted(KINDS), choices=sorted(KINDS))
    parsed = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left behind
    with tempfile.TemporaryDirectory(prefix="bea_faults_") as place:
        return 1 if run_campaign(parsed, Path(place)) else 0


if __name__ == "__main__":
    sys.exit(main())
