# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The state of an optimizer: its evaluations, from which a new optimizer continues identically.

This requires that the seed and the told fitness values determine all candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers.checks import points
from bea_ros.optimizers.inputs import alike
from bea_ros.optimizers.record import Record

STATE_FORMAT = 1


class Fresh(Protocol):
    """An optimizer without evaluations."""

    @property
    def dimension(self) -> int: ...
    def ask(self) -> NDArray[np.float64]: ...
    def absorb(self, record: Record) -> None: ...
    def extend(self, budget: int) -> None: ...


def state_of(
    identity: Mapping[str, Any],
    probe: list[float],
    extensions: Iterable[tuple[int, int]],
    asked: bool,
    records: Iterable[Record],
) -> dict[str, Any]:
    """Return the state for `relive` as JSON types. Python's JSON keeps floats exactly.

    `identity` has the arguments of an equal optimizer, `probe` the fingerprint of its features.
    """
    extended = [*map(list, extensions)]
    return {
        "format": STATE_FORMAT,
        **identity,
        **({"features_at_probe": probe} if probe else {}),
        **({"extensions": extended} if extended else {}),
        "asked": asked,
        "evaluations": [
            [
                [float(v) for v in r.x],
                *(r.fitness, r.evaluation_time, r.overhead_time, list(r.measurements)),
            ]
            for r in records
        ],
    }


def check(state: Any, identity: Mapping[str, Any], probe: list[float]) -> None:
    """Raise ValueError if this is not a state, or the state of another optimizer."""
    if not isinstance(state, Mapping) or state.get("format") != STATE_FORMAT:
        raise ValueError(f"not an optimizer state of format {STATE_FORMAT}")
    for key, value in ({"start": None, "features": None} | dict(identity)).items():
        if state.get(key) != value:
            raise ValueError(
                f"the state's {key} is {state.get(key)!r}, this optimizer's is {value!r}"
            )
    if not alike(state.get("features_at_probe"), probe):
        raise ValueError("the state's features are not those of this optimizer")


def relive(twin: Fresh, state: Mapping[str, Any]) -> None:
    """Tell a fresh optimizer all evaluations of a state; raises ValueError if it is malformed.

    The stored candidates are used, not asked again. So a state from another machine, whose
    arithmetic may differ in the last digit, works as well.
    """
    try:
        evaluations = state["evaluations"]
        candidates = points("candidates", [one[0] for one in evaluations], twin.dimension)
        budgets = dict(state.get("extensions", []))
        for number in range(len(evaluations) + 1):
            if number in budgets:
                twin.extend(budgets[number])
            if number < len(evaluations):
                _, fitness, *others = evaluations[number]
                twin.ask()
                twin.absorb(Record(candidates[number], fitness, "", *others))
        if state["asked"]:
            twin.ask()
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"malformed optimizer state: {error}") from error
