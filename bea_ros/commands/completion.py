# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a shell offers behind `bea` when Tab is pressed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import argcomplete

from bea_ros.robots import robot_names
from bea_ros.tasks import TASKS


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer the shell, and end the process."""
    names = {"robot": robot_names(), "task": list(TASKS)}
    for action in _actions(parser):
        if known := names.get(action.dest.removesuffix("s")):
            action.completer = _Named(known)  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)


class _Named:
    """Names that come with the package; where none begins so, files of one's own."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def __call__(self, prefix: str, **_: Any) -> list[str]:
        named = [name for name in self.names if name.startswith(prefix)]
        return named or argcomplete.FilesCompleter()(prefix)
