# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BEA as a sampler of Optuna (pip install optuna).

study = optuna.create_study(sampler=BEASampler(budget=500))
study.optimize(objective, n_trials=500)
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial

from bea_ros.optimizers import Optimizer, Record, create

CANDIDATE = "bea:candidate"  # attribute of a trial: shares of the ranges, by parameter


class BEASampler(BaseSampler):
    """Samples all parameters at once by `bea_ros.optimizers`.

    It learns from every finished trial that has all parameters, also from one that was enqueued or
    added, or that another process did. So a resumed study goes on as if it had not been
    interrupted; processes that share a study at the same time need different seeds.

    Some values are random: those of the first trial, from which the sampler learns the parameters;
    parameters that not every trial has; and trials that begin before anything was learned since
    the last candidate. A failed trial counts as the worst before it, a pruned trial as its last
    intermediate value, even if it ended before it had asked for all parameters. Once the
    parameters that every trial has are others, as one has another range or is missing in a trial,
    the optimizer begins anew.

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
        self._algorithm, self._options = algorithm, {"seed": seed, "budget": budget, **options}
        create(algorithm, 1, **self._options)  # checks the options
        self._seed = seed
        self._spaces: dict[str, IntersectionSearchSpace] = defaultdict(IntersectionSearchSpace)
        self._known: dict[str, BaseDistribution] = {}
        self._study = ""
        self._one_at_a_time = Lock()  # trials may run in threads
        self._begin()

    def _begin(self) -> None:
        """Begin with an optimizer that has learned nothing."""
        self._optimizer: Optimizer | None = None
        if self._known:
            self._optimizer = create(self._algorithm, len(self._known), **self._options)
        self._seen: set[int] = set()  # numbers of finished trials
        self._asked: int | None = None  # number of the trial that has the current candidate
        self._guessed = False  # the worst fitness, as no trial has one

    def __getstate__(self) -> dict[str, Any]:
        return {name: one for name, one in self.__dict__.items() if name != "_one_at_a_time"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _one_at_a_time=Lock())

    def reseed_rng(self) -> None:
        """Reseed the random values, for another process."""
        self._seed = int(np.random.SeedSequence().generate_state(1)[0])

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the distributions of parameters that every trial has, except constant ones."""
        with self._one_at_a_time:
            space = self._spaces[study.study_name].calculate(study)  # each is for one study only
        return {name: one for name, one in space.items() if not one.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return values of the parameters for a trial; none if nothing was learned since the last.

        Learns before from the trials that have finished.
        """
        if len(study.directions) > 1:
            raise ValueError(f"BEASampler has one objective, not {len(study.directions)}")
        with self._one_at_a_time:
            if (study.study_name, search_space) != (self._study, self._known):
                self._study, self._known = study.study_name, dict(search_space)
                self._begin()
            if self._optimizer is None:
                return {}
            self._learn(study)
            if self._asked is not None:
                return {}
            candidate = self._optimizer.ask()
            self._asked = trial.number
            shares = dict(zip(search_space, candidate.tolist(), strict=True))
            study._storage.set_trial_system_attr(trial._trial_id, CANDIDATE, shares)
            return values(candidate, search_space)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return a random value, which depends on the seed, the trial and the name only."""
        seed = np.random.SeedSequence([self._seed, trial.number, *param_name.encode()])
        random = RandomSampler(int(seed.generate_state(1)[0]))
        return random.sample_independent(study, trial, param_name, param_distribution)

    def _learn(self, study: Study) -> None:
        """Tell the optimizer of the trials that have finished, in the order of their numbers."""
        assert self._optimizer is not None
        # Not study.get_trials(): the Hyperband pruner hides some.
        trials = study._storage.get_all_trials(study._study_id, deepcopy=False)
        finished = [trial for trial in trials if trial.state.is_finished()]
        sign = 1.0 if study.direction == StudyDirection.MAXIMIZE else -1.0
        fitness = {
            trial.number: sign * trial.values[0]  # of a pruned trial the last intermediate one
            for trial in finished
            if trial.values and math.isfinite(trial.values[0])
        }
        if self._guessed and fitness:
            self._begin()
        for trial in finished:
            if trial.number in self._seen:
                continue
            self._seen.add(trial.number)
            if trial.number == self._asked:
                self._asked = None
            candidate = self._candidate_of(trial)
            if candidate is not None:
                self._guessed |= not fitness
                value = fitness.get(trial.number, worst(fitness, trial.number))
                self._optimizer.learn(Record(candidate, value, "", None, 0.0))
                self._asked = None

    def _candidate_of(self, trial: FrozenTrial) -> NDArray[np.float64] | None:
        """Return the candidate that a trial tried, or None if it lacks a parameter."""
        has = [name for name, one in self._known.items() if trial.distributions.get(name) == one]
        shares = trial.system_attrs.get(CANDIDATE, {})
        if has and shares.keys() == self._known.keys():
            candidate = np.array([shares[name] for name in self._known])
            wanted = values(candidate, self._known)
            if all(_stored(name, trial.params, self._known) == _stored(name, wanted, self._known)
                   for name in has):  # fmt: skip
                return candidate
        if len(has) < len(self._known):
            return None
        return np.array([share_of(trial.params[name], one) for name, one in self._known.items()])


def worst(fitness: Mapping[int, float], number: int) -> float:
    """Return the lowest fitness before this trial, else the first one after it, else 0."""
    before = [value for other, value in fitness.items() if other < number]
    return min(before) if before else next(iter(fitness.values()), 0.0)


def _stored(name: str, params: Mapping[str, Any], space: Mapping[str, BaseDistribution]) -> float:
    """A parameter's value as Optuna stores it: not every large whole number."""
    return space[name].to_internal_repr(params[name])


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
        first, last = _logarithms(distribution)
        value = math.exp(first + share * (last - first))
        return min(max(round(value) if whole else value, low), high)
    if step is None:
        return min(low + share * (high - low), high)  # rounding may pass it
    count = _count(distribution)
    return min(low + step * min(int(share * count), count - 1), high)


def share_of(value: Any, distribution: BaseDistribution) -> float:
    """Return a share for which `value_at` returns the value."""
    if isinstance(distribution, CategoricalDistribution):
        return (distribution.to_internal_repr(value) + 0.5) / len(distribution.choices)
    low, high, step = distribution.low, distribution.high, distribution.step  # type: ignore[attr-defined]
    if distribution.log:  # type: ignore[attr-defined]
        first, last = _logarithms(distribution)
        share = (math.log(value) - first) / (last - first)
    elif step is None:
        share = (value - low) / (high - low)
    else:
        share = (round((value - low) / step) + 0.5) / _count(distribution)
    return min(max(share, 0.0), 1.0)  # an enqueued value may be outside of the range


def _logarithms(distribution: Any) -> tuple[float, float]:
    """The ends of a logarithmic range; those of whole numbers get half a number more."""
    half = 0.5 if isinstance(distribution, IntDistribution) else 0.0
    return math.log(distribution.low - half), math.log(distribution.high + half)


def _count(distribution: Any) -> int:
    """The number of values of a range with steps."""
    low, high, step = distribution.low, distribution.high, distribution.step
    whole = isinstance(distribution, IntDistribution)
    return int((high - low) // step if whole else round((high - low) / step)) + 1
