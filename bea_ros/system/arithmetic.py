# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Evaluates Python expressions of numbers, strings, lists and dicts without running Python."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

PLAIN = (bool, int, float, str, list, tuple, dict, type(None))
OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda one, many: one in many,
    ast.NotIn: lambda one, many: one not in many,
}
MATHEMATICS = {
    name: function
    for name, function in vars(math).items()
    if callable(function) and name[0] != "_"
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **MATHEMATICS,
    **{f"math.{name}": function for name, function in MATHEMATICS.items()},
    **{
        f"{where}{function.__name__}": function
        for where in ("", "python.")
        for function in (
            abs, bool, dict, float, int, len, list, max, min, round, sorted, str, sum, tuple
        )
    },
}  # fmt: skip
METHODS: dict[type, set[str]] = {
    str: {"endswith", "join", "lower", "lstrip", "replace", "rsplit", "rstrip", "split",
          "startswith", "strip", "upper"},
    dict: {"get", "items", "keys", "values"},
}  # fmt: skip


class ExpressionError(ValueError):
    """An expression that is refused; the message is one line."""


def value_of(text: str, names: Mapping[str, Any], functions: Mapping[str, Any]) -> Any:
    """The value of an expression that may use `names` and `functions`, by dotted name.

    Operators, indices, conditions, FUNCTIONS and METHODS are allowed; attributes, lambdas and
    loops are not. Raises ExpressionError, SyntaxError, or the errors of its operations.
    """
    return _Expression(names, {**FUNCTIONS, **functions}).value(
        ast.parse(text.strip(), mode="eval").body
    )


class _Expression:
    def __init__(self, names: Mapping[str, Any], functions: Mapping[str, Any]) -> None:
        self._names, self._functions = names, functions

    def value(self, node: ast.expr | None) -> Any:
        """The value of a node; every kind that is not listed here is refused."""
        match node:
            case None | ast.Constant(value=bool() | int() | float() | str() | None):
                return None if node is None else node.value
            case ast.Name(id=name):
                return self._plain(name, self._names)
            case ast.Attribute(value=ast.Name(id=space), attr=name):
                return self._plain(name, self._space(space))
            case ast.List(elts=items):
                return [self.value(item) for item in items]
            case ast.Tuple(elts=items):
                return tuple(self.value(item) for item in items)
            case ast.Dict(keys=keys, values=values) if None not in keys:
                pairs = zip(keys, values, strict=True)
                return {self.value(key): self.value(item) for key, item in pairs}
            case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
                return OPERATORS[type(op)](self.value(operand))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return OPERATORS[type(op)](self.value(left), self.value(right))
            case ast.BoolOp(op=op, values=values):
                return self._either(values, until=isinstance(op, ast.Or))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._compare(left, ops, others)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.value(body if self.value(test) else other)
            case ast.Subscript(value=many, slice=ast.Slice(lower=lower, upper=upper, step=step)):
                cut = slice(self.value(lower), self.value(upper), self.value(step))
                return self.value(many)[cut]
            case ast.Subscript(value=many, slice=index):
                return self.value(many)[self.value(index)]
            case ast.Call(func=function, args=given, keywords=named):
                called = self._function(function)
                by_name = {word.arg: self.value(word.value) for word in named if word.arg}
                if len(by_name) == len(named):
                    return called(*map(self.value, given), **by_name)
        raise _refused(node)

    def _plain(self, name: str, names: Mapping[str, Any]) -> Any:
        try:
            found = names[name]
        except KeyError:
            raise NameError(f"name {name!r} is not defined") from None
        if type(found) not in PLAIN:
            raise ExpressionError(f"{name!r} is no value that a file may use")
        return found

    def _space(self, name: str) -> Mapping[str, Any]:
        """The namespace of this name; a file's own dict is refused."""
        space = self._names.get(name) if name in self._names else None
        if type(space) in PLAIN or not isinstance(space, Mapping):
            raise ExpressionError(f"{name!r} has no names of its own that a file may use")
        return space

    def _either(self, values: list[ast.expr], until: bool) -> Any:
        for node in values:
            found = self.value(node)
            if bool(found) is until:
                break
        return found

    def _compare(self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]) -> Any:
        one = self.value(left)
        for op, node in zip(ops, others, strict=True):
            other = self.value(node)
            result = OPERATORS[type(op)](one, other)
            if not result:
                return result
            one = other
        return result

    def _function(self, node: ast.expr) -> Callable[..., Any]:
        name = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
        if name in self._functions:
            return self._functions[name]
        if isinstance(node, ast.Attribute):
            for kind, methods in METHODS.items():
                if node.attr in methods and type(found := self.value(node.value)) is kind:
                    return getattr(found, node.attr)
        raise _refused(node)


def _refused(node: ast.AST | None) -> ExpressionError:
    text = ast.unparse(node) if node else "**"
    return ExpressionError(f"{text!r} is not arithmetic, which is all that a file may use")
