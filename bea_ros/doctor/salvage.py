# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Copies the good data of a damaged run into a new folder, from which the run resumes.

A line of a log is good if its checksum is right. Each line has the checksum of the line before it,
so lines that are repeated or misplaced get back into order. A run resumes from measurements
without a gap. Those after a gap are good as well, but an optimizer that resumes would not ask for
them. So a second folder has all good measurements, to be replayed or to start another run.
"""

from __future__ import annotations

import codecs
import os
import shlex
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from bea_ros.robots import robot_name
from bea_ros.runs.folder.agreement import wrong_best, wrong_fitness
from bea_ros.runs.folder.best import BEST, read_best
from bea_ros.runs.folder.check import findings, with_gaps
from bea_ros.runs.folder.head import (
    FORMAT,
    REQUEST,
    WITH_GAPS,
    WITHOUT_CHECKSUMS,
    RunFolderError,
    read_head,
)
from bea_ros.runs.folder.lock import LockError, RunLock
from bea_ros.runs.folder.log import Record, ended, line_of, lines_in, record_of
from bea_ros.runs.folder.measurements import best_of, evaluations_of
from bea_ros.runs.folder.run_folder import CHECKS, LOG, TRAJECTORIES
from bea_ros.runs.origin import wrong_origin
from bea_ros.system.files import read_whole, replace_file
from bea_ros.system.terminal import first_few
from bea_ros.system.yaml_files import sealed

ALL = "-all"  # suffix of the folder that also has the measurements after a gap


@dataclass
class Good:
    """The good lines of a log: those in the order of the run, and those after a gap."""

    records: list[Record] = field(default_factory=list)
    others: list[Record] = field(default_factory=list)
    left: list[str] = field(default_factory=list)  # lines left out, and the reasons

    @property
    def all(self) -> list[Record]:
        """All good lines."""
        return [*self.records, *self.others]


def salvage(folder: Path, output: Path | None = None) -> int:
    """Write a run's good data into a new folder; print what was left out and how to resume.

    Returns 0, or 1 if no measurement is good. Raises RunFolderError and OSError.
    """
    head = read_head(folder, changed=True)
    if head is None or not {"robot", "task"} <= set(head["request"]):
        raise RunFolderError(
            f"{folder} has no {REQUEST} that names a robot and a task: of what robot and task its "
            f"measurements are is not known. Put back its own {REQUEST}"
        )
    if all(good for _, good in findings(folder, repair=False)):
        print(f"{folder} is not damaged: there is nothing to salvage")
        return 0
    output = output or Path(f"{os.path.abspath(folder)}-salvaged")
    everything = Path(f"{output}{ALL}")
    for path in (output, everything):
        if path.exists():
            raise RunFolderError(f"{path} is there already: choose another --output")
    log, paths = _good_logs(folder, head)
    if foreign := wrong_origin(head, evaluations_of(log.records)):
        raise RunFolderError(
            f"{folder}: {LOG} is not of this run: {foreign}. Put back its own {REQUEST} or {LOG}"
        )
    stored, left = _trajectories_of(log.all, paths.all)
    wrong = _without_wrong_fitness(log, stored, head["request"])
    for those in (list(_doubts(folder, head, log.all)), log.left, paths.left, left, wrong):
        for line in first_few(those):
            print(f"left out: {line}")
    if not log.all:
        print(f"{folder} has no undamaged measurement: begin a new run")
        return 1
    if log.records:
        _write(output, folder, {**head, "salvaged": True}, log.records, stored)
        print(f"resume with: bea learn --output {shlex.quote(str(output))}")
    if log.others:
        _write(everything, folder, {**head, "salvaged": WITH_GAPS}, *_renumbered(log.all, stored))
        print(
            f"{len(log.others)} measurements are good, but one before them is gone, so a run "
            f"cannot resume from them. {with_gaps(everything)}"
        )
    return 0


def _doubts(folder: Path, head: Mapping[str, Any], log: Iterable[Record]) -> Iterator[str]:
    """Lines on damage to run.yaml and best.yaml."""
    try:
        read_head(folder)
    except RunFolderError as error:
        asked = ", ".join(f"{name} {value}" for name, value in head["request"].items())
        yield f"the checksum of {REQUEST} ({error}); it is taken as it reads: {asked}"
    try:
        wrong = wrong_best(read_best(folder), evaluations_of(log))
    except RunFolderError as error:
        wrong = str(error) if (folder / BEST).exists() else ""
    if wrong:
        yield f"{BEST}: {wrong}"


def _good_logs(folder: Path, head: Mapping[str, Any]) -> tuple[Good, Good]:
    """The good lines of LOG and TRAJECTORIES, which nobody may write to meanwhile."""
    with ExitStack() as held:
        try:
            held.callback(RunLock(folder).close)
        except LockError as error:
            raise RunFolderError(str(error)) from error
        except OSError:
            pass  # in a read-only folder nobody writes
        return _good_lines(folder, LOG, head), _good_lines(folder, TRAJECTORIES, head)


def _good_lines(folder: Path, name: str, head: Mapping[str, Any]) -> Good:
    """The lines of LOG or TRAJECTORIES that are good; raises OSError."""
    path, found = folder / name, Good()
    checksums = head["format"] != WITHOUT_CHECKSUMS
    content = ended(read_whole(path)) if path.exists() else b""
    # Editors and transfers between systems add these bytes; no record contains them.
    content = content.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")
    first: dict[bytes, int] = {}
    after: dict[bytes, int | None] = {}
    whole: dict[bytes, Record] = {}
    for number, line in enumerate(lines_in(content), 1):
        try:
            if line in first:
                raise ValueError(f"it is line {first[line]} once more")
            record, before = record_of(line, checksums)
            CHECKS[name](record, None)
        except ValueError as error:
            found.left.append(f"{name}: line {number}: {error}")
            continue
        first[line], after[line], whole[line] = number, before, record
    order = _in_order(name, whole, after)
    found.records = [whole.pop(line) for line in order]
    found.others = list(whole.values())
    return found


def _in_order(
    name: str, whole: Mapping[bytes, Record], after: Mapping[bytes, int | None]
) -> list[bytes]:
    """The lines of a run from its first on, up to a gap; each follows the one that it names."""
    following = {
        before: line for line, before in reversed(list(after.items())) if before is not None
    }
    unlinked = iter([line for line, before in after.items() if before is None])  # of old versions
    order: list[bytes] = []
    crc = latest = 0
    while line := following.pop(crc, None) or next(unlinked, None):
        try:
            CHECKS[name](whole[line], latest)
        except ValueError:
            break
        order.append(line)
        crc = zlib.crc32(line)
        latest = max(latest, whole[line]["evaluation"])
    return order


def _trajectories_of(
    log: Iterable[Record], paths: Iterable[Record]
) -> tuple[dict[int, Record], list[str]]:
    """The trajectory of each line of a log, by the line's id(), and notes on those left out.

    Trajectories are matched to an evaluation's measurements by order, if none is missing.
    """
    lines: dict[int, list[Record]] = {}
    stored: dict[int, list[Record]] = {}
    for found, records in ((lines, log), (stored, paths)):
        for record in records:
            found.setdefault(record["evaluation"], []).append(record)
    fitting: dict[int, Record] = {}
    left = []
    for number, those in stored.items():
        measured = lines.get(number, [])
        if len(measured) == len(those):
            fitting |= {id(line): path for line, path in zip(measured, those, strict=True)}
        else:
            left.append(
                f"{TRAJECTORIES}: {len(those)} of evaluation {number}, which has {len(measured)} "
                "good measurements: it is not certain which belong together"
            )
    return fitting, left


def _without_wrong_fitness(
    log: Good, stored: Mapping[int, Record], request: Mapping[str, Any]
) -> list[str]:
    """Remove lines whose fitness contradicts their trajectory; returns notes on them."""
    pairs = [(line, stored[id(line)]) for line in log.all if id(line) in stored]
    wrong = {id(line): words for line, words in wrong_fitness(pairs, request)}
    left = [
        f"{LOG}: evaluation {line['evaluation']}: {wrong[id(line)]}"
        for line in log.all
        if id(line) in wrong
    ]
    everything = [line for line in log.all if id(line) not in wrong]
    log.records = list(takewhile(lambda line: id(line) not in wrong, log.records))
    log.others = everything[len(log.records) :]
    return left


def _renumbered(
    log: Iterable[Record], stored: Mapping[int, Record]
) -> tuple[list[Record], dict[int, Record]]:
    """The lines of a log with gaps, renumbered without gaps, and their trajectories by id()."""
    numbers: dict[int, int] = {}
    lines: list[Record] = []
    paths: dict[int, Record] = {}
    for line in sorted(log, key=lambda line: (line["evaluation"], "kind" in line)):
        old = line["evaluation"]
        new = {**line, "evaluation": numbers.setdefault(old, len(numbers) + 1)}
        if not lines or lines[-1]["evaluation"] != new["evaluation"]:
            new.pop("kind", None)  # now the first of its candidate
        if path := stored.get(id(line)):
            paths[id(new)] = {**path, "evaluation": new["evaluation"]}
        lines.append(new)
    return lines, paths


def _write(
    output: Path,
    source: Path,
    head: Mapping[str, Any],
    log: list[Record],
    stored: Mapping[int, Record],
) -> None:
    """Write the folder of a run; run.yaml comes last, as it makes the folder a run."""
    paths = [stored[id(line)] for line in log if id(line) in stored]
    evaluations = evaluations_of(log)
    replace_file(output / TRAJECTORIES, _linked(paths))
    replace_file(output / LOG, _linked(log))
    said = "none, as nothing was measured"
    if best := best_of(evaluations):
        said = f"evaluation {best['evaluation']} ({best['fitness']:.4f})"
        candidate = {
            "evaluation": best["evaluation"],
            "attempt": 1,
            "robot": robot_name(str(head["request"].get("robot", ""))),
            "names": list(best["parameters"]),
            "values": list(best["parameters"].values()),
        }
        remark = f"{head['request'].get('task')}: {best['fitness']:.4f}, salvaged"
        replace_file(output / BEST, sealed(candidate, " ".join(remark.split())))
    change = {"evaluation": len(evaluations) + 1, "what": [f"salvaged from {source.absolute()}"]}
    changes = [*head.get("changes", []), change]
    new_head = {**head, "format": FORMAT, "changes": changes}
    replace_file(output / REQUEST, sealed(new_head))
    print(f"wrote {output}: {len(log)} measurements, {len(paths)} trajectories, best: {said}")


def _linked(records: Iterable[Record]) -> bytes:
    """A log of records, each line with the checksum of the one before."""
    lines, crc = [], 0
    for record in records:
        lines.append(line_of(record, crc))
        crc = zlib.crc32(lines[-1])
    return b"".join(lines)
