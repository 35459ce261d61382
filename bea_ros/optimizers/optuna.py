# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA as a sampler of Optuna (pip install optuna).

study = optuna.create_study(sampler=BEASampler(budget=500))
study.optimize(objective, n_trials=500)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from bea_ros.optimizers import Optimizer, create


class BEASampler(BaseSampler):
    """Samples all parameters at once by `bea_ros.optimizers`.

    Some values are random: those of the first trial, from which the sampler learns the parameters;
    parameters that not every trial has; and trials that begin while another one runs. A failed
    trial counts as the worst so far, a pruned trial as its last intermediate value. A trial with
    other values (`enqueue_trial`) teaches nothing. Once the parameters that every trial has are
    others, as one has another range or is missing in a trial, the optimizer begins anew.

    Args:
        algorithm: "bea", "bo" or "ea".
        seed: seed of all random draws.
        budget: number of planned trials.
        options: options of the optimizer.

    Raises:
        ValueError: an option is not allowed, or the study has several objectives.
    """

    def __init__(
        self, algorithm: str = "bea", *, seed: int = 0, budget: int = 300, **options: Any
    ) -> None:
        self._make = lambda d: create(algorithm, d, seed=seed, budget=budget, **options)
        self._make(1)  # checks the options
        self._random = RandomSampler(seed)
        self._space = IntersectionSearchSpace()
        self._known: dict[str, BaseDistribution] = {}
        self._optimizer: Optimizer | None = None
        self._asked: tuple[int, NDArray[np.float64]] | None = None  # trial and candidate
        self._one_at_a_time = Lock()  # trials may run in threads

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the distributions of parameters that every trial has, except constant ones."""
        space = self._space.calculate(study)
        return {name: one for name, one in space.items() if not one.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return values of the parameters for a trial; none while another trial runs."""
        if len(study.directions) > 1:
            raise ValueError(f"BEASampler has one objective, not {len(study.directions)}")
        with self._one_at_a_time:
            if search_space != self._known:
                self._known, self._asked = dict(search_space), None
                self._optimizer = self._make(len(search_space)) if search_space else None
            if self._optimizer is None or self._asked is not None:
                return {}
            candidate = self._optimizer.ask()
            self._asked = trial.number, candidate
            return values(candidate, search_space)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return a random value."""
        return self._random.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Tell the optimizer the trial's value."""
        with self._one_at_a_time:
            if self._optimizer is None or self._asked is None or self._asked[0] != trial.number:
                return
            candidate, self._asked = self._asked[1], None
            if not self._was_tried(candidate, trial):
                return
            sign = 1.0 if study.direction == StudyDirection.MAXIMIZE else -1.0
            if values and math.isfinite(values[0]):  # of a pruned trial the last intermediate one
                fitness = sign * values[0]
            else:
                known = [record.fitness for record in self._optimizer.history]
                complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
                known += [sign * one.values[0] for one in complete if math.isfinite(one.values[0])]
                fitness = min(known, default=0.0)
            self._optimizer.tell(candidate, fitness)

    def _was_tried(self, candidate: NDArray[np.float64], trial: FrozenTrial) -> bool:
        """Whether the trial has the values of this candidate."""
        wanted = values(candidate, self._known)
        return trial.params.keys() >= wanted.keys() and all(
            # as Optuna stores it: not every large whole number
            one.to_internal_repr(trial.params[name]) == one.to_internal_repr(wanted[name])
            for name, one in self._known.items()
        )

    def reseed_rng(self) -> None:
        """Reseed the random sampler, for another process."""
        self._random.reseed_rng()


def values(
    candidate: NDArray[np.float64], space: Mapping[str, BaseDistribution]
) -> dict[str, Any]:
    """Map a candidate in [0, 1]^d to values of the parameters, in the order of the space."""
    pairs = zip(candidate.tolist(), space.items(), strict=True)
    return {name: value_at(share, one) for share, (name, one) in pairs}


def value_at(share: float, distribution: BaseDistribution) -> Any:
    """Return the value at a share, 0 to 1, of a distribution's range.

    All values of a discrete distribution have equal shares.
    """
    if isinstance(distribution, CategoricalDistribution):
        choices = distribution.choices
        return choices[min(int(share * len(choices)), len(choices) - 1)]
    low, high, step = distribution.low, distribution.high, distribution.step  # type: ignore[attr-defined]
    whole = isinstance(distribution, IntDistribution)
    if distribution.log:  # type: ignore[attr-defined]
        half = 0.5 if whole else 0.0
        first, last = math.log(low - half), math.log(high + half)
        value = math.exp(first + share * (last - first))
        return min(max(round(value) if whole else value, low), high)
    if step is None:
        return min(low + share * (high - low), high)  # rounding may pass it
    count = ((high - low) // step if whole else round((high - low) / step)) + 1
    return min(low + step * min(int(share * count), count - 1), high)
