# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The runs of a study, and the settings that affect their numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from threadpoolctl import threadpool_limits

from bea_ros.system.files import read_whole, replace_file


def check_known(what: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise ValueError for a name that is not known."""
    for name in names:
        if name not in known:
            raise ValueError(f"unknown {what} '{name}', only {', '.join(known)}")


def marks_within(marks: Iterable[int], evaluations: int) -> list[int]:
    """The evaluations that tables show: the marks within a run, and its last."""
    return [n for n in marks if n < evaluations] + [evaluations]


def options_of(words: str, algorithm: str = "", profile: str = "") -> dict[str, Any]:
    """Options from text like "name=value name=value"; only those of `algorithm`, if it is given.

    Raises ValueError for a word without '=', or an option with two values.
    """
    found: dict[str, Any] = {}
    for word in words.split():
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"--option {word}: name=value is expected")
        if name in found:
            raise ValueError(f"option {name} has two values: give one")
        try:
            found[name] = json.loads(value)
        except ValueError:  # not a number
            found[name] = value
    if not algorithm:
        return found
    from bea_ros.optimizers import OPTIMIZERS

    has = OPTIMIZERS[algorithm][profile].OPTIONS if algorithm in OPTIMIZERS else ()
    return {name: value for name, value in found.items() if name in has}


@dataclass(frozen=True)
class Run:
    """One run: a case of the study, an algorithm and a repetition.

    A study adds the fields. KEY names those that identify a run; in a `CurveStudy` the last two
    are algorithm and repetition.
    """

    KEY: ClassVar[tuple[str, ...]]

    @property
    def key(self) -> tuple[Any, ...]:
        """Values of the fields of KEY."""
        return tuple(getattr(self, name) for name in self.KEY)

    @property
    def words(self) -> tuple[str, ...]:
        """The key as text, as in tables."""
        return tuple(map(str, self.key))

    @property
    def name(self) -> str:
        """Name of the run's file."""
        return "-".join(self.words)

    @property
    def head(self) -> dict[str, Any]:
        """The fields that identify the run in the head of its file."""
        return asdict(self)

    def path(self, folder: Path) -> Path:
        """The run's file in a folder."""
        return folder / f"{self.name}.json"

    def write(self, folder: Path, result: Any) -> None:
        """Write the result of the finished run, as JSON, into its file."""
        replace_file(self.path(folder), json.dumps({"run": self.head, "result": result}))

    def read(self, folder: Path) -> Any:
        """Result of the run, None if it is not finished.

        Raises ValueError for a damaged file, or one of another run.
        """
        path = self.path(folder)
        if not path.exists():
            return None
        try:
            stored = json.loads(read_whole(path))
            head, result = stored["run"], stored["result"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is damaged: remove it to repeat the run") from error
        if head != self.head:
            raise ValueError(f"{path} is of another run: choose another --output")
        return result


def once(carry_out: Callable[[Any], Any], run: Run, folder: Path) -> None:
    """Carry out a run on one core and write its result, unless `folder` has its file."""
    if not run.path(folder).exists():
        with threadpool_limits(1):
            run.write(folder, carry_out(run))


@dataclass(frozen=True)
class Selection:
    """The content of a study. Raises ValueError, in one line, for unknown names.

    LISTS are the fields that are lists; they may grow when a study is resumed. DECISIVE are the
    fields that affect the numbers of a run.
    """

    LISTS: ClassVar[tuple[str, ...]] = ()
    DECISIVE: ClassVar[tuple[str, ...]]

    @property
    def decisive(self) -> dict[str, Any]:
        """Settings that affect the numbers of a run; all runs of a study have the same ones."""
        return {name: getattr(self, name) for name in self.DECISIVE}

    @property
    def settings(self) -> dict[str, Any]:
        """The plan's settings, as recorded in study.json."""
        return self.decisive

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """The plan with these settings, as read from JSON."""
        values: dict[str, Any]
        values = {name: tuple(v) if isinstance(v, list) else v for name, v in settings.items()}
        mine = {field.name for field in fields(cls)}
        return cls(**{n: v for n, v in values.items() if n in mine})

    def including(self, settings: Mapping[str, Any]) -> Self:
        """This plan, extended by an earlier one with these settings."""
        lists: dict[str, Any]
        lists = {n: tuple(dict.fromkeys((*settings[n], *getattr(self, n)))) for n in self.LISTS}
        return replace(self, **lists)

    def runs(self) -> Sequence[Any]:
        """All runs, ordered by repetition."""
        raise NotImplementedError


@dataclass(frozen=True)
class Plan(Selection):
    """The algorithms of a study, their profile, and its repetitions.

    Each repetition has seeds of its own, so those from `first` on judge what the others chose.
    """

    ALGORITHMS: ClassVar[Sequence[str]]
    MORE_OPTIONS: ClassVar[Sequence[str]] = ()  # of a run, beside those of its algorithm
    SET_BY: ClassVar[Mapping[str, str]] = {"switch": "--switch"}  # with a switch

    algorithms: tuple[str, ...]
    repetitions: int
    evaluations: int
    switch: int
    profile: str
    options: str
    first: int = 0

    def __post_init__(self) -> None:
        from bea_ros.optimizers import OPTIMIZERS, PROFILES  # late: see `methods.minimise`

        for name in self.LISTS:
            if not getattr(self, name):
                raise ValueError(f"no {name} to study")
        check_known("algorithm", self.algorithms, self.ALGORITHMS)
        check_known("profile", [self.profile], PROFILES)
        known = {n for one in OPTIMIZERS.values() for n in one[self.profile].OPTIONS}
        known |= set(self.MORE_OPTIONS)
        for name in options_of(self.options):
            if name in self.SET_BY and self.switch:
                raise ValueError(f"--option {name}: choose it by {self.SET_BY[name]}")
            if name not in known:
                raise ValueError(
                    f"unknown option '{name}', only {', '.join(sorted(known))} in profile "
                    f"{self.profile}"
                )
        if self.repetitions < 1:
            raise ValueError(f"repetitions={self.repetitions}: at least 1 is needed")
        if self.first < 0:
            raise ValueError(f"first={self.first}: repetitions count from 0")

    @property
    def numbers(self) -> range:
        """The numbers of the repetitions."""
        return range(self.first, self.first + self.repetitions)

    @property
    def settings(self) -> dict[str, Any]:
        return asdict(self) | self.decisive

    def including(self, settings: Mapping[str, Any]) -> Self:
        more = super().including(settings)
        earlier = settings.get("first", 0)
        first = min(self.first, earlier)
        end = max(self.numbers.stop, earlier + settings["repetitions"])
        return replace(more, first=first, repetitions=end - first)
