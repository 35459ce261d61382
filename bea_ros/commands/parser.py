# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The parser of `bea`: prints true defaults, and suggests what may have been meant."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

TOPIC = "image_raw"
NUMBERS: dict[Any, str] = {int: "a whole number", float: "a number"}
DEFAULT = re.compile(r"\bdefault[: ]")  # in a help text that says it itself


class Parser(argparse.ArgumentParser):
    """Refuses an unknown word in one line, and suggests a similar one.

    The commands of `bea` have parsers of this class, too.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"formatter_class": _Formatter, **settings})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown words here: a command knows its own options, `bea` does not."""
        parsed, rest = super().parse_known_args(args, namespace)
        if rest:
            hint = _meant(rest[0], self._option_string_actions)
            if "--output" in self._option_string_actions and os.path.isdir(rest[0]):
                hint = f": did you mean --output {rest[0]}?"
            self.error(f"unknown {rest[0]}{hint}")
        return parsed, rest

    def error(self, message: str) -> NoReturn:
        """End with exit code 2 and one line, which names the commands if one is missing."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction) and message.endswith(
                f" {action.metavar}"
            ):
                message += f": {', '.join(action.choices)}"
        self.exit(2, f"{self.prog}: {message} (all there is: {self.prog} --help)\n")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if action.type not in NUMBERS:
                raise
            wanted = f"{arg_string!r} is not {NUMBERS[action.type]}"
            raise argparse.ArgumentError(action, wanted) from None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            hint = _meant(str(value), names) or f": only {', '.join(names)}"
            raise argparse.ArgumentError(action, f"unknown {value}{hint}")


def seed(word: str) -> int:
    """Return the seed of an option; argparse tells what is raised with the option's name."""
    if int(word) < 0:
        raise argparse.ArgumentTypeError(f"{word} is below 0")
    return int(word)


def add_robot(parser: argparse.ArgumentParser) -> None:
    """Add options for the arena, and for a robot in it."""
    add_arena(parser)
    parser.add_argument("--robot", default="spider9", help="name, or path of a NAME.urdf.xacro")


def add_topic(parser: argparse.ArgumentParser) -> None:
    """Add options for the topic of a camera's images."""
    parser.add_argument("--topic", default=TOPIC, help="topic of the images")
    parser.add_argument(
        "--compressed", action="store_true", help="take JPEGs from TOPIC/compressed"
    )


def add_arena(parser: argparse.ArgumentParser) -> None:
    """Add options for the arena, and for the generation of a robot's modules."""
    text = "YAML file of the arena (default: config/arena.yaml)"
    parser.add_argument("--arena", default="", help=text)
    parser.add_argument("--generation", default="small", help="generation of the robot's modules")


class Version(argparse.Action):
    """Prints the versions, and exits. The commit is looked up only then."""

    def __call__(
        self, parser: argparse.ArgumentParser, *_: str | Sequence[Any] | argparse.Namespace | None
    ) -> NoReturn:
        from bea_ros.system.versions import commit_of_checkout, versions_of

        found = versions_of()
        commit = commit_of_checkout()
        distribution = os.environ.get("ROS_DISTRO")
        said = [f"Python {found['python']}"]
        said += [f"commit {commit}"] if commit else []
        said += [f"ROS 2 {distribution}"] if distribution else []
        print(f"bea {found.get('bea_ros', '(not installed)')} ({', '.join(said)})")
        parser.exit()


class _Formatter(argparse.HelpFormatter):
    """Appends each option's default to its help, unless the help names one."""

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        default = action.default
        if DEFAULT.search(text) or default in (None, "", argparse.SUPPRESS):
            return text
        if isinstance(default, bool) or not (action.option_strings or action.nargs):
            return text
        return f"{text} (default {spoken(default)})".replace("%", "%%").strip()


def spoken(default: object) -> str:
    """A default as it would be typed."""
    if isinstance(default, (list, tuple)):
        return " ".join(map(spoken, default))
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, float):
        return f"{default:g}"
    return str(default) if isinstance(default, (str, int, Path)) else repr(default)


def _meant(word: str, names: Iterable[str]) -> str:
    """A suggestion for an unknown word, to end a sentence with; may be empty."""
    close = get_close_matches(word.partition("=")[0], list(names), 1)
    return f": did you mean {close[0]}?" if close else ""


def complete(parser: argparse.ArgumentParser) -> None:
    """If a shell asks for completions (Tab), print them and exit."""
    import argcomplete

    from bea_ros.robots import robot_names
    from bea_ros.tasks import TASKS

    names = {"robot": robot_names(), "task": list(TASKS)}
    for action in _actions(parser):
        if known := names.get(action.dest.removesuffix("s")):
            action.completer = _Named(known)  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the actions of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)


class _Named:
    """Completes the names that come with the package, or else files."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def __call__(self, prefix: str, **_: Any) -> list[str]:
        from argcomplete import FilesCompleter

        named = [name for name in self.names if name.startswith(prefix)]
        return named or FilesCompleter()(prefix)
