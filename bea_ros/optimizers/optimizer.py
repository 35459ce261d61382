# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The base class of BO, EA and BEA: ask, tell, history, and saving and restoring the state."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bea_ros.optimizers.checks import finite, points, shaped, whole
from bea_ros.optimizers.inputs import Features, fingerprint
from bea_ros.optimizers.options import Option, resolve
from bea_ros.optimizers.record import Record
from bea_ros.optimizers.resuming import check, relive, state_of
from bea_ros.optimizers.threads import single_threaded


class Optimizer(ABC):
    """Maximise a fitness over [0, 1]^d, one candidate at a time.

    A subclass proposes a candidate in `_propose`, learns from its fitness in `_learn`, and names
    its current stage in `stage`. Both methods must draw from `self._rng` only. Then the seed and
    the told fitness values determine all candidates, which `state` and `restore` rely on.
    """

    name: ClassVar[str]
    profile: ClassVar[str] = "default"
    OPTIONS: ClassVar[Mapping[str, Option]]
    # Fixed values of options that only other profiles have; states include them.
    FIXED: ClassVar[Mapping[str, Any]] = {}

    def __init__(
        self,
        dimension: int,
        *,
        seed: int = 0,
        budget: int = 300,
        clock: Callable[[], float] = time.perf_counter,
        start: ArrayLike = (),
        features: Features | None = None,
        **options: Any,
    ) -> None:
        """Set up an optimizer.

        Args:
            dimension: number d of parameters, at least 1.
            seed: non-negative integer; with the same seed and the same fitness values the
                candidates are the same.
            budget: number of planned evaluations, at least the initial samples. It determines the
                schedule of the search. `ask` also works beyond it.
            clock: clock by which overhead is measured, in s.
            start: candidates to ask first in place of random ones, shape (k, d), such as good
                candidates of another run.
            features: function of candidates (n, d) in [0, 1]^d with values of shape (n, k). Models
                compare candidates by these values and their parameters; see `inputs`.
            options: see the OPTIONS table of the class.

        Raises:
            ValueError: an argument or option is unknown or out of range.
        """
        self._seed = whole("seed", seed, 0)
        self._dimension = whole("dimension", dimension, 1)
        self._budget = self._first_budget = whole("budget", budget, 1)
        self._extensions: list[tuple[int, int]] = []  # evaluations, new budget
        self._given = dict(options)
        self._clock = clock
        self._first = points("start", start, self._dimension)
        self._features = features
        self._options = resolve(self.OPTIONS, self.FIXED, self.profile, options)
        self._rng = np.random.default_rng(self._seed)
        self._records: list[Record] = []
        self._best: int | None = None
        self._candidate: NDArray[np.float64] | None = None
        self._overhead = 0.0
        self._prepare()
        self._first_options = dict(self._options)  # before any extension

    # -- what a subclass does -------------------------------------------------------------

    @abstractmethod
    def _prepare(self) -> None:
        """Build the parts that the options choose."""

    def _replan(self) -> None:  # noqa: B027  (most plan nothing)
        """Adapt the schedule to a new budget."""

    @abstractmethod
    def _propose(self) -> NDArray[np.float64]:
        """Return the next candidate, shape (d,), inside [0, 1]^d."""

    @abstractmethod
    def _learn(self, record: Record) -> None:
        """Learn from an evaluation, which is already the last of the history."""

    @property
    @abstractmethod
    def stage(self) -> str:
        """Stage of the next candidate: initial, bayesian, evolutionary, local or repertoire."""

    def _untold(self, **further: Any) -> Self:
        """Return a new optimizer with the same arguments. A subclass adds `further` ones."""
        return type(self)(
            self._dimension,
            seed=self._seed,
            budget=self._first_budget,
            clock=self._clock,
            start=self._first,
            features=self._features,
            **further,
            **self._given,
        )

    # -- asking and telling ---------------------------------------------------------------

    def ask(self) -> NDArray[np.float64]:
        """Return the next candidate, shape (d,): the same one until its fitness is told.

        Raises ValueError if a subclass proposes another shape, or NaN.
        """
        if self._candidate is None:
            start = self._clock()
            with single_threaded():
                proposed = self._propose()
            what = f"optimizer {self.name} proposed a candidate"
            candidate = shaped(what, proposed, self._dimension)
            if np.isnan(candidate).any():
                raise ValueError(f"{what} with NaN")
            self._candidate = np.clip(candidate, 0.0, 1.0)
            self._overhead += self._clock() - start
        return self._candidate.copy()

    def tell(
        self,
        x: ArrayLike,
        fitness: float,
        *,
        evaluation_time: float | None = None,
        overhead_time: float | None = None,
        measurements: Sequence[float] | None = None,
    ) -> None:
        """Learn the fitness (maximised) of the candidate that was asked last.

        Args:
            x: that candidate, unchanged, shape (d,).
            fitness: a finite number.
            evaluation_time: duration of the evaluation in s, real or assumed.
            overhead_time: duration of asking in s; by default the optimizer's clock measures it.
            measurements: every fitness of a candidate that was measured more than once, with
                `fitness` as their mean. Their spread shows the noise.

        Raises:
            ValueError: no candidate was asked, x is another candidate, a number is not finite, or
                a time is negative. The optimizer does not change then.
        """
        start = self._clock()
        if self._candidate is None:
            raise ValueError(
                "told without being asked: it was told before, or ask() was never called"
            )
        given = shaped("told a candidate", x, self._dimension)
        if not np.array_equal(given, self._candidate):
            raise ValueError("told out of order: x is not the candidate that was asked last")
        several = () if measurements is None else measurements
        self._accept(self._candidate, fitness, evaluation_time, overhead_time, start, several)

    def _accept(
        self,
        x: NDArray[np.float64],
        fitness: float,
        evaluation_time: float | None,
        overhead_time: float | None,
        start: float,
        measurements: Sequence[float] = (),
    ) -> None:
        value = finite("fitness", fitness)
        if evaluation_time is not None:
            evaluation_time = finite("evaluation_time", evaluation_time, low=0.0)
        if overhead_time is None:
            overhead_time = self._overhead
        else:
            overhead_time = finite("overhead_time", overhead_time, low=0.0)
        repeated = tuple(finite("measurement", one) for one in measurements)
        x.setflags(write=False)  # a caller of `history` has it, too
        record = Record(x, value, self.stage, evaluation_time, overhead_time, repeated)
        self._records.append(record)
        if self._best is None or value > self._records[self._best].fitness:
            self._best = len(self._records) - 1
        self._candidate = None
        with single_threaded():
            self._learn(record)
        # The time of learning counts for the next candidate, as this one is already stored.
        self._overhead = self._clock() - start

    def extend(self, budget: int) -> None:
        """Set a larger budget; the schedule changes from here on.

        Raises ValueError if the budget is smaller than before, or if a candidate is not told yet.
        """
        if self._candidate is not None:
            raise ValueError("extended before the candidate that was asked is told")
        self._budget = whole("budget", budget, self._budget)
        self._extensions.append((len(self._records), self._budget))
        with single_threaded():
            self._replan()

    def absorb(self, record: Record) -> None:
        """Learn from an evaluation that another optimizer proposed."""
        times = record.evaluation_time, record.overhead_time
        self._accept(record.x, record.fitness, *times, self._clock(), record.measurements)

    def learn(self, record: Record) -> None:
        """Learn from an evaluation, of the candidate that it proposes or of another one."""
        if np.array_equal(self.ask(), record.x):
            x, fitness, _, evaluation, overhead, several = record
            self.tell(x, fitness, evaluation_time=evaluation, overhead_time=overhead,
                      measurements=several)  # fmt: skip
        else:
            self.absorb(record)

    # -- saving and restoring --------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the state for `restore`, which JSON can store without loss."""
        asked = self._candidate is not None
        return state_of(self._identity(), self._probe(), self._extensions, asked, self._records)

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore a `state`: from here on the candidates are those of the saved optimizer.

        Raises ValueError for a malformed state, and for that of another optimizer or options.
        """
        check(state, self._identity(), self._probe())
        twin = self._untold()
        relive(twin, state)
        self.__dict__.update(twin.__dict__)

    def _probe(self) -> list[float]:
        return fingerprint(self._features, self._options, self._dimension)

    def _identity(self) -> dict[str, Any]:
        """Arguments by which another optimizer asks the same candidates."""
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

    # -- looking --------------------------------------------------------------------------

    @property
    def best(self) -> tuple[NDArray[np.float64], float] | None:
        """The best candidate so far and its fitness, or None before the first evaluation."""
        if self._best is None:
            return None
        record = self._records[self._best]
        return record.x.copy(), record.fitness

    @property
    def history(self) -> list[Record]:
        """All evaluations, in order."""
        return list(self._records)

    @property
    def step_size_factor(self) -> float:
        """Factor sigma'' of the gain-aware mutation (eq. 10); 1 outside it."""
        return 1.0

    @property
    def prediction(self) -> tuple[float, float] | None:
        """Predicted mean and standard deviation of the asked candidate's fitness, or None."""
        return None

    def satisfied(self, share: float) -> bool:
        """Whether the best fitness is at least this share of the largest predicted fitness."""
        return False

    @property
    def dimension(self) -> int:
        """Number of parameters d."""
        return self._dimension

    @property
    def budget(self) -> int:
        """Number of planned evaluations."""
        return self._budget

    @property
    def options(self) -> dict[str, Any]:
        """All options with their values, as JSON types."""
        return dict(self._options)
