# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which runs a study consists of, and what makes their numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar, Self


def options_of(words: str, algorithm: str = "", profile: str = "") -> dict[str, Any]:
    """Options, given as name=value with spaces between; those that an algorithm has, if named.

    Raises ValueError for a word without '='.
    """
    found = {}
    for word in words.split():
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"--option {word}: name=value is expected")
        try:
            found[name] = json.loads(value)
        except ValueError:  # a word
            found[name] = value
    if not algorithm:
        return found
    from bea_ros.optimizers import OPTIMIZERS

    has = OPTIMIZERS[algorithm][profile].OPTIONS if algorithm in OPTIMIZERS else ()
    return {name: value for name, value in found.items() if name in has}


@dataclass(frozen=True)
class Run:
    """One run: a case of the study, an algorithm and a repetition.

    A study adds the fields; KEY names those that tell its runs apart, the last two of which are
    algorithm and repetition in a `CurveStudy`.
    """

    KEY: ClassVar[tuple[str, ...]]

    @property
    def key(self) -> tuple[Any, ...]:
        """Values of the fields of KEY."""
        return tuple(getattr(self, name) for name in self.KEY)

    @property
    def name(self) -> str:
        """Name of the run's file."""
        return "-".join(map(str, self.key))

    @property
    def head(self) -> dict[str, Any]:
        """What the run's file says it is of."""
        return asdict(self)


@dataclass(frozen=True)
class Selection:
    """What is studied. Raises ValueError, in one line, for what there is not.

    LISTS are the fields that are lists, which grow where a study is resumed; DECISIVE those
    that make the numbers of a run; ONCE are settings that data from before they were written
    down were made with.
    """

    LISTS: ClassVar[tuple[str, ...]] = ()
    DECISIVE: ClassVar[tuple[str, ...]]
    ONCE: ClassVar[Mapping[str, Any]] = {}

    @property
    def decisive(self) -> dict[str, Any]:
        """What makes the numbers of a run; runs that differ in it do not belong together."""
        return {name: getattr(self, name) for name in self.DECISIVE}

    @property
    def settings(self) -> dict[str, Any]:
        """What is written down of the plan."""
        return self.decisive

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """The plan with these settings, as JSON has them."""
        values: dict[str, Any]
        values = {name: tuple(v) if isinstance(v, list) else v for name, v in settings.items()}
        mine = {field.name for field in fields(cls)}
        return cls(**{n: v for n, v in {**cls.ONCE, **values}.items() if n in mine})

    def including(self, settings: Mapping[str, Any]) -> Self:
        """This plan, and what an earlier one with these settings had besides."""
        lists: dict[str, Any]
        lists = {n: tuple(dict.fromkeys((*settings[n], *getattr(self, n)))) for n in self.LISTS}
        return replace(self, **lists)

    def runs(self) -> Sequence[Any]:
        """Every run: one repetition of everything after the other."""
        raise NotImplementedError


@dataclass(frozen=True)
class Plan(Selection):
    """Which algorithms are studied in a profile, and how often."""

    ALGORITHMS: ClassVar[Sequence[str]]
    ONCE: ClassVar[Mapping[str, Any]] = {"options": ""}

    algorithms: tuple[str, ...]
    repetitions: int
    evaluations: int
    switch: int
    profile: str
    options: str

    def __post_init__(self) -> None:
        from bea_ros.optimizers import OPTIMIZERS, PROFILES  # not before: see `methods.minimise`

        for name in self.LISTS:
            if not getattr(self, name):
                raise ValueError(f"no {name} to study")
        for name in self.algorithms:
            if name not in self.ALGORITHMS:
                raise ValueError(f"unknown algorithm '{name}', only {', '.join(self.ALGORITHMS)}")
        if self.profile not in PROFILES:
            raise ValueError(f"unknown profile '{self.profile}', only {', '.join(PROFILES)}")
        known = {n for one in OPTIMIZERS.values() for n in one[self.profile].OPTIONS}
        for name in options_of(self.options):
            if name not in known:
                raise ValueError(
                    f"unknown option '{name}', only {', '.join(sorted(known))} in profile "
                    f"{self.profile}"
                )
        if self.repetitions < 1:
            raise ValueError(f"repetitions={self.repetitions}: at least 1 is needed")

    @property
    def settings(self) -> dict[str, Any]:
        return asdict(self) | self.decisive

    def including(self, settings: Mapping[str, Any]) -> Self:
        more = super().including(settings)
        return replace(more, repetitions=max(self.repetitions, settings["repetitions"]))
