# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An optimizer's state: what was told, from which another like it asks the same from there on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.inputs import Features, alike, fingerprint

if TYPE_CHECKING:
    from bea_ros.optimizers.optimizer import Record

STATE_FORMAT = 1


class Resumable(ABC):
    """Keeps every evaluation, and lives through them again to become what it was.

    This holds as long as the seed and the told fitness values decide all that is asked.
    """

    name: ClassVar[str]
    profile: ClassVar[str]

    _dimension: int
    _seed: int
    _first_budget: int
    _clock: Callable[[], float]
    _first: NDArray[np.float64]
    _features: Features | None
    _given: dict[str, Any]
    _options: dict[str, Any]
    _first_options: dict[str, Any]
    _extensions: list[tuple[int, int]]
    _records: list[Record]
    _candidate: NDArray[np.float64] | None

    @abstractmethod
    def ask(self) -> NDArray[np.float64]:
        """Return the candidate to evaluate next."""

    @abstractmethod
    def extend(self, budget: int) -> None:
        """Plan for more evaluations in all."""

    @abstractmethod
    def _accept(
        self,
        x: NDArray[np.float64],
        fitness: float,
        evaluation_time: float | None,
        overhead_time: float | None,
        start: float,
        measurements: Sequence[float] = (),
    ) -> None:
        """Take in a fitness."""

    @abstractmethod
    def _untold(self) -> Self:
        """One like this that was told nothing."""

    def state(self) -> dict[str, Any]:
        """Return what `restore` needs, JSON-able and exact.

        Python writes floats so that they read back equal.
        """
        probe = fingerprint(self._features, self._options, self._dimension)
        return {
            "format": STATE_FORMAT,
            **self._identity(),
            **({"features_at_probe": probe} if probe else {}),
            **({"extensions": [*map(list, self._extensions)]} if self._extensions else {}),
            "asked": self._candidate is not None,
            "evaluations": [
                [
                    [float(v) for v in r.x],
                    *(r.fitness, r.evaluation_time, r.overhead_time, list(r.measurements)),
                ]
                for r in self._records
            ],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the optimizer whose `state` this is: it asks the same sequence from here on.

        The evaluations are taken as stored, so a state from another machine, whose arithmetic
        may differ in the last digit, is restored as well.

        Raises:
            ValueError: the state is malformed, or belongs to another optimizer or other options.
        """
        if not isinstance(state, Mapping) or state.get("format") != STATE_FORMAT:
            raise ValueError(f"not an optimizer state of format {STATE_FORMAT}")
        for key, value in ({"start": None, "features": None} | self._identity()).items():
            if state.get(key) != value:
                raise ValueError(
                    f"the state's {key} is {state.get(key)!r}, this optimizer's is {value!r}"
                )
        probe = fingerprint(self._features, self._options, self._dimension)
        if not alike(state.get("features_at_probe"), probe):
            raise ValueError("the state's features are not those of this optimizer")
        twin = self._untold()
        try:
            evaluations = [
                (np.array(x, dtype=np.float64), *rest) for x, *rest in state["evaluations"]
            ]
            extensions = dict(state.get("extensions", []))
            for x, fitness, evaluation_time, overhead_time, *repeated in evaluations:
                twin._extend_by(extensions)
                if x.shape != (self._dimension,) or not np.all((x >= 0.0) & (x <= 1.0)):
                    raise ValueError(f"a candidate is not in [0, 1]^{self._dimension}")
                twin.ask()
                times = evaluation_time, overhead_time
                twin._accept(x, fitness, *times, twin._clock(), *repeated)
            twin._extend_by(extensions)
            if state["asked"]:
                twin.ask()
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"malformed optimizer state: {error}") from error
        self.__dict__.update(twin.__dict__)

    def _extend_by(self, extensions: Mapping[int, int]) -> None:
        """Extend by what was planned after as many evaluations as there are."""
        if len(self._records) in extensions:
            self.extend(extensions[len(self._records)])

    def _identity(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "dimension": self._dimension,
            "seed": self._seed,
            "budget": self._first_budget,
            "profile": self.profile,
            "options": dict(self._first_options),
            **({"start": self._first.tolist()} if len(self._first) else {}),
            **({"features": True} if self._features else {}),
        }
