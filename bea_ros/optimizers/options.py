# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Options of the optimizers: a table for each algorithm of each profile."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Option:
    """One option: its default, and the allowed values.

    A number must be within `low` and `high`, both included. `choices` are the allowed words, with
    or without numbers. `integer` refuses fractions.
    """

    doc: str
    value: Any
    low: float | None = None
    high: float | None = None
    integer: bool = False
    choices: tuple[Any, ...] = ()

    def check(self, name: str, value: Any) -> Any:
        """Return the value as a plain JSON type, or raise ValueError with one line."""
        if any(type(value) is type(choice) and value == choice for choice in self.choices):
            return value
        if self.low is None or isinstance(value, (bool, str)) or value is None:
            raise ValueError(f"option {name}={value!r} is not allowed: {self.allowed()}")
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"option {name}={value!r} is not a number: {self.allowed()}"
            ) from None
        whole = number.is_integer() if self.integer else math.isfinite(number)
        if not (whole and self.low <= number <= (math.inf if self.high is None else self.high)):
            raise ValueError(f"option {name}={value!r} is out of range: {self.allowed()}")
        return int(number) if self.integer else number

    def allowed(self) -> str:
        """The allowed values, in words."""
        words = [repr(choice) for choice in self.choices]
        if self.low is not None:
            kind = "an integer" if self.integer else "a number"
            limits = (
                f">= {self.low:g}" if self.high is None else f"in [{self.low:g}, {self.high:g}]"
            )
            words.append(f"{kind} {limits}")
        return "allowed is " + " or ".join(words)


def changed(table: Mapping[str, Option], **values: Any) -> dict[str, Option]:
    """Return the table with other defaults."""
    return {
        **table,
        **{name: replace(table[name], value=value) for name, value in values.items()},
    }


def resolve(
    table: Mapping[str, Option], fixed: Mapping[str, Any], profile: str, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the given options, completed by the defaults and the fixed values.

    Raises:
        ValueError: an option is unknown, out of range, or differs from its fixed value.
    """
    for name, value in given.items():
        if name in fixed:
            if value != fixed[name]:
                raise ValueError(
                    f"option {name}={value!r} is not allowed in profile {profile!r}: "
                    f"there it is {fixed[name]!r}"
                )
        elif name not in table:
            raise ValueError(
                f"unknown option {name!r}: allowed is one of {', '.join(sorted(table))}"
            )
    return {
        **{
            name: option.check(name, given[name]) if name in given else option.value
            for name, option in table.items()
        },
        **fixed,
    }
