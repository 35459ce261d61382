# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The data of a study on disk: settings as JSON, the rest as small CSV files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bea_ros.system.files import read_whole, replace_file

Array = NDArray[np.float64]

SETTINGS = "study.json"


def check_settings(folder: Path, decisive: Mapping[str, Any]) -> None:
    """Raise ValueError if the data of a folder were made with other settings."""
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
    """Write settings, and versions beside other earlier ones, as the data may be of both."""
    if (folder / SETTINGS).exists():
        before = read_settings(folder)[1]
        versions = {name: _both(name, before, versions) for name in before | versions}
    about = {"settings": dict(settings), "versions": versions}
    replace_file(folder / SETTINGS, json.dumps(about, indent=1) + "\n")


def _both(name: str, *versions: Mapping[str, str]) -> str:
    """The versions of one package, each once."""
    between = " " if name == "commit" else "; "
    known = (part for one in versions if one.get(name) for part in one[name].split(between))
    return between.join(dict.fromkeys(known))


def read_settings(folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Read the settings and versions of a study."""
    with _sound(folder / SETTINGS):
        about = json.loads(read_whole(folder / SETTINGS))
        return about["settings"], about["versions"]


def write_table(path: Path, table: pd.DataFrame) -> None:
    """Write a CSV file atomically, with five digits of non-integer numbers."""
    text = table.to_csv(index=False, lineterminator="\n", float_format="%.5g", na_rep="nan")
    replace_file(path, text)


def write_tables(path: Path, columns: Sequence[str], tables: Iterable[pd.DataFrame]) -> None:
    """Write tables below each other into a CSV file."""
    found = [table[list(columns)] for table in tables if len(table)]
    write_table(path, pd.concat(found) if found else pd.DataFrame(columns=list(columns)))


def read_table(path: Path) -> pd.DataFrame:
    """Read a CSV file; all values are text."""
    with _sound(path):
        return pd.read_csv(io.BytesIO(read_whole(path)), dtype=str, keep_default_na=False)


def add_rows(
    path: Path, key: Sequence[str], columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Write rows into a CSV file; they replace earlier rows of the same runs.

    The first columns are the `key` of a run. Its last part, a number, orders the rows.
    """
    length = len(key)
    new = [[str(value) for value in row] for row in rows]
    changed = {tuple(row[:length]) for row in new}
    old = read_table(path).values.tolist() if path.exists() else []
    kept = [row for row in old if tuple(row[:length]) not in changed]
    with _sound(path):
        found = sorted(kept + new, key=lambda row: int(row[length - 1]))
    write_table(path, pd.DataFrame(found, columns=[*key, *columns]))


def read_columns(path: Path, keys: Sequence[str]) -> dict[tuple[str, ...], Array]:
    """Read the numbers of a CSV file by key: an array (n,) per other column."""
    table = read_table(path)
    with _sound(path):
        groups = table.groupby(list(keys), sort=False)
        return {key: group.drop(columns=list(keys)).to_numpy(float).T for key, group in groups}


class DataError(ValueError):
    """A study is missing, or its data are damaged; the message is one line."""


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Raise DataError in the block if a study is missing or its data are damaged."""
    try:
        with _sound(folder):
            yield
    except FileNotFoundError as error:
        raise DataError(f"{folder} holds no study: {error.filename} is missing") from None


@contextmanager
def _sound(place: Path) -> Iterator[None]:
    """Raise DataError in the block if the data in a file or folder are damaged."""
    try:
        yield
    except DataError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{place}: the study's data are damaged ({error!r}): restore them, or choose another "
            "--output"
        ) from error
