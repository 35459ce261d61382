# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How a study's data stand on disk: settings as JSON, everything else as small CSV files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.system.files import replace_file

Array = NDArray[np.float64]

SETTINGS = "study.json"


def check_settings(folder: Path, decisive: Mapping[str, Any]) -> None:
    """Refuse a folder whose data were made with other settings; raises ValueError."""
    if not (folder / SETTINGS).exists():
        return
    before, _ = read_settings(folder)
    for name, value in decisive.items():
        if before.get(name) != value:
            raise ValueError(
                f"{folder} is of a study with {name} {before.get(name)!r}, not {value!r}: "
                "choose another --output"
            )


def write_settings(folder: Path, settings: Mapping[str, Any], versions: dict[str, str]) -> None:
    """Write down what is studied and with what; a commit is added to earlier ones.

    The version of what is not installed by now stays.
    """
    if (folder / SETTINGS).exists():
        before = read_settings(folder)[1]
        commits = f"{before.get('commit', '')} {versions.get('commit', '')}".split()
        versions = before | versions | {"commit": " ".join(dict.fromkeys(commits))}
    about = {"settings": dict(settings), "versions": versions}
    replace_file(folder / SETTINGS, json.dumps(about, indent=1) + "\n")


def read_settings(folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Settings and versions of a study."""
    about = json.loads((folder / SETTINGS).read_text())
    return about["settings"], about["versions"]


def united(plan: Any, settings: Mapping[str, Any], names: Sequence[str]) -> Any:
    """A plan, and what an earlier one with these settings had besides in the lists of `names`."""
    lists = {name: tuple(dict.fromkeys((*settings[name], *getattr(plan, name)))) for name in names}
    return replace(plan, repetitions=max(plan.repetitions, settings["repetitions"]), **lists)


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file, at once."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    replace_file(path, text.getvalue())


def add_rows(
    path: Path,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    order: Mapping[tuple[str, ...], int],
) -> None:
    """Write rows into a CSV file, in the place of those of the same runs that it has.

    `order` has the place of every run, whose key the first columns are; others come last.
    """
    length = len(next(iter(order)))
    new = [[str(value) for value in row] for row in rows]
    changed = {tuple(row[:length]) for row in new}
    old = [list(row.values()) for row in read_rows(path)] if path.exists() else []
    kept = [row for row in old if tuple(row[:length]) not in changed]
    found = sorted(kept + new, key=lambda row: order.get(tuple(row[:length]), len(order)))
    write_rows(path, columns, found)


def read_rows(path: Path) -> list[dict[str, str]]:
    """The lines of a CSV file by column."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def read_columns(path: Path, keys: Sequence[str]) -> dict[tuple[str, ...], Array]:
    """A CSV file's numbers in groups of equal keys: its other columns, each an array (n,)."""
    groups: dict[tuple[str, ...], list[list[float]]] = {}
    for row in read_rows(path):
        key = tuple(row.pop(name) for name in keys)
        groups.setdefault(key, []).append([float(value) for value in row.values()])
    return {key: np.array(numbers).T for key, numbers in groups.items()}


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Raise ValueError where a study is not there, or its data are not what they should be."""
    try:
        yield
    except FileNotFoundError as error:
        raise ValueError(f"{folder} holds no study: {error.filename} is missing") from None
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{folder}: the study's data are damaged ({error!r})") from error


def write_records(path: Path, kind: Any, records: Sequence[Any]) -> None:
    """Write dataclass instances of a `kind` as CSV, numbers to five digits."""
    rows = (
        [f"{v:.5g}" if isinstance(v, float) else v for v in asdict(record).values()]
        for record in records
    )
    write_rows(path, [field.name for field in fields(kind)], rows)
