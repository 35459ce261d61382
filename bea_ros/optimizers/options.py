# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Options of the optimizers: one table per algorithm, one column per profile."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PROFILES = ("default", "paper", "released")


@dataclass(frozen=True)
class Option:
    """One option: its value in each profile, what is allowed, and where the figure comes from.

    `low` and `high` bound a number (inclusive); `choices` lists the words that are allowed,
    instead of a number or beside it. `integer` refuses fractions.
    """

    doc: str
    default: Any
    paper: Any
    released: Any
    low: float | None = None
    high: float | None = None
    integer: bool = False
    choices: tuple[Any, ...] = ()

    def check(self, name: str, value: Any) -> Any:
        """Return the value as a plain JSON type, or raise ValueError with one line."""
        if any(
            value is choice or (type(value) is type(choice) and value == choice)
            for choice in self.choices
        ):
            return value
        if self.low is None or isinstance(value, (bool, str)) or value is None:
            raise ValueError(f"option {name}={value!r} is not allowed: {self.allowed()}")
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"option {name}={value!r} is not a number: {self.allowed()}"
            ) from None
        fraction = self.integer and number != math.floor(number) if math.isfinite(number) else True
        if fraction or not self.low <= number <= (math.inf if self.high is None else self.high):
            raise ValueError(f"option {name}={value!r} is out of range: {self.allowed()}")
        return int(number) if self.integer else number

    def allowed(self) -> str:
        """Say what is allowed, for messages and listings."""
        words = [repr(choice) for choice in self.choices]
        if self.low is not None:
            kind = "an integer" if self.integer else "a number"
            limits = (
                f">= {self.low:g}" if self.high is None else f"in [{self.low:g}, {self.high:g}]"
            )
            words.append(f"{kind} {limits}")
        return "allowed is " + " or ".join(words)


def resolve(table: Mapping[str, Option], profile: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in a profile's values under the given ones.

    Raises:
        ValueError: unknown profile, unknown option, or a value out of range.
    """
    if profile not in PROFILES:
        raise ValueError(f"unknown profile {profile!r}: allowed is one of {', '.join(PROFILES)}")
    for name in given:
        if name not in table:
            raise ValueError(
                f"unknown option {name!r}: allowed is one of {', '.join(sorted(table))}"
            )
    return {
        name: option.check(name, given[name]) if name in given else getattr(option, profile)
        for name, option in table.items()
    }
