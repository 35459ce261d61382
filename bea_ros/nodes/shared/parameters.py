# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of ROS parameters with default, description and range, checked when a node starts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterTypeException
from rclpy.node import Node
from rclpy.parameter import Parameter as NodeParameter

LARGEST = 2**63 - 1  # of ROS's whole numbers
STANDARD = ("use_sim_time", "start_type_description_service")


class ParameterError(ValueError):
    """A parameter that is unknown, of the wrong type or out of range; the message is one line."""


@dataclass(frozen=True)
class Parameter:
    """A parameter. Its type is that of its default.

    `low` and `high` bound a number; `choices` are the allowed words. A parameter that is not
    `fixed` may change while the node runs.
    """

    name: str
    default: bool | int | float | str | list[str]
    description: str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    fixed: bool = True

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
        kind = kinds.get(type(self.default), "a list of words")
        if math.isfinite(self.high):
            return f"{kind} from {self.low:.15g} to {self.high:.15g}"
        if math.isfinite(self.low):
            return f"{kind} from {self.low:g}"
        return kind

    def check(self, value: Any) -> Any:
        """Return the value in the parameter's type; raises ParameterError."""
        if type(self.default) is float and type(value) is int:
            value = float(value)
        allowed, good = self.allowed, type(value) is type(self.default)
        if good and isinstance(value, float | int) and not isinstance(value, bool):
            good = abs(value) < math.inf and self.low <= value <= self.high
        whole = type(self.default) is int and isinstance(value, float | int)
        if whole and self.high > abs(value) > LARGEST:  # it comes from ROS as a float
            allowed, good = f"{allowed}, below 2^63", False
        if good and self.choices:
            good = value in self.choices
        if not good:
            raise ParameterError(f"parameter {self.name} is {value!r}: allowed is {allowed}")
        return value

    def descriptor(self) -> ParameterDescriptor:
        """Return the descriptor that `ros2 param describe` shows."""
        descriptor = ParameterDescriptor(
            name=self.name,
            description=self.description,
            additional_constraints=self.allowed if self.choices else "",
            read_only=self.fixed,
        )
        low, high = self.low, self.high
        if type(self.default) is float and math.isfinite(low):
            limits = FloatingPointRange(from_value=float(low), to_value=min(high, 1e9), step=0.0)
            descriptor.floating_point_range = [limits]
        elif type(self.default) is int and math.isfinite(low):
            integers = IntegerRange(from_value=int(low), to_value=int(min(high, 2**53)), step=1)
            descriptor.integer_range = [integers]
        return descriptor


def check_all(table: Iterable[Parameter], given: Mapping[str, Any], node: str) -> dict[str, Any]:
    """Check and complete a node's parameters without the node; raises ParameterError."""
    table = list(table)
    if unknown := _unknown(given, table):
        raise ParameterError(f"{node}: {unknown}")
    return {p.name: p.check(given[p.name]) if p.name in given else p.default for p in table}


def _unknown(given: Iterable[str], table: Iterable[Parameter]) -> str:
    """Say which name is not in the table; empty if all are, or are ROS's own."""
    known = [parameter.name for parameter in table]
    for name in given:
        if name not in (*known, *STANDARD) and not name.startswith("qos_overrides."):
            return f"there is no parameter '{name}', only {', '.join(known)}"
    return ""


def declare(node: Node, table: Iterable[Parameter]) -> dict[str, Any]:
    """Declare a node's parameters, and return their values by name.

    Raises ParameterError if a value is not allowed, or a name is not in the table. (rclpy alone
    ignores unknown names.)
    """
    table = list(table)
    given = node._parameter_overrides
    open_ = {parameter.name for parameter in table if not parameter.fixed}
    if unknown := _unknown(given, table):
        raise ParameterError(unknown)
    values = {}
    for parameter in table:
        try:
            if parameter.name in given:
                value = parameter.check(given[parameter.name].value)
                given[parameter.name] = type(given[parameter.name])(parameter.name, value=value)
            node.declare_parameter(parameter.name, parameter.default, parameter.descriptor())
        except InvalidParameterTypeException as error:
            raise ParameterError(str(error)) from None
        values[parameter.name] = node.get_parameter(parameter.name).value

    def refuse(parameters: list[NodeParameter]) -> SetParametersResult:
        """Refuse changes of fixed parameters, and of use_sim_time, which sets the clock."""
        names = [parameter.name for parameter in parameters if node.has_parameter(parameter.name)]
        fixed = [name for name in names if name not in open_]
        reason = f"{', '.join(fixed)}: fixed from the node's start on" if fixed else ""
        return SetParametersResult(successful=not fixed, reason=reason)

    node.add_on_set_parameters_callback(refuse)
    return values
