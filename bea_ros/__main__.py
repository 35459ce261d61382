# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
# PYTHON_ARGCOMPLETE_OK
"""bea: learn, replay, report, bench, doctor and more, on machines with or without ros2 launch."""

from __future__ import annotations

import os
import signal
import sys

# Where the process is the command's own, Ctrl-C may come while it loads, which takes a second.
OURS = __name__ == "__main__" or sys.argv[0].rpartition("/")[2] == "bea"
if OURS:
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))

import re  # noqa: E402
from typing import TYPE_CHECKING  # noqa: E402

from bea_ros.system.terminal import (  # noqa: E402
    INTERRUPTED,
    UNREAD,
    Interrupts,
    Output,
    open_streams,
    printable,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bea_ros.commands.parser import Parser

USER_ERROR = 2
HOME = re.compile("^(--[a-z-]+=|)(~[^/]*)")  # shells expand it neither after = nor in quotes


def make_parser(words: Sequence[str] = ()) -> Parser:
    """The parser of the command that these words begin with, or of all."""
    from bea_ros.commands import commands_for
    from bea_ros.commands.parser import Parser, Version

    parser = Parser(prog="bea", description="Robots that learn to move.")
    parser.add_argument("--version", action=Version, nargs=0, help="print the version")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in commands_for(words):
        command.add(commands)
    return parser


def main(args: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 2 for a user's mistake, which is told in one line, 130
    after Ctrl-C, 141 where nobody reads what it says.
    """
    interrupts = Interrupts() if OURS else None
    if interrupts:
        open_streams()
    output = Output()
    try:
        parser = make_parser(sys.argv[1:] if args is None else args)
        if "_ARGCOMPLETE" in os.environ:  # the shell asks what can follow (docs/install.md)
            from bea_ros.commands.parser import complete

            complete(parser)
        if interrupts:
            interrupts.begin()
        code = _run(parser, args, output)
    except ModuleNotFoundError as error:
        code = _missing(error)
    except SystemExit as end:
        output.end(0)
        if output.unread() and end.code != USER_ERROR:  # rich and argparse keep it to themselves
            return UNREAD
        raise
    except (Exception, KeyboardInterrupt):
        if not (interrupts and interrupts.came):
            raise
        code = INTERRUPTED  # some libraries make another error of it
    code = output.end(code)
    if interrupts:
        interrupts.end(code)
    else:
        output.close()
    return code


def _run(parser: Parser, args: Sequence[str] | None, output: Output) -> int:
    typed = sys.argv[1:] if args is None else args
    parsed = parser.parse_args([HOME.sub(_home, word) for word in typed])
    try:
        return int(parsed.run(parsed) or 0)
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError) and output.unread():
            output.discard()
            return UNREAD
        print(f"bea {parsed.command}: {_in_words(error)}", file=sys.stderr)
        return USER_ERROR
    except RuntimeError as error:
        if "home directory" not in str(error):  # of Path.expanduser
            raise
        print(
            f"bea {parsed.command}: ~USER in a path: there is no such user, or no HOME",
            file=sys.stderr,
        )
        return USER_ERROR
    except KeyboardInterrupt:
        return INTERRUPTED


def _home(found: re.Match[str]) -> str:
    return found[1] + os.path.expanduser(found[2])


def _missing(error: ModuleNotFoundError) -> int:
    """Say what is not installed; raises the error if that is a module of ours."""
    from bea_ros.commands import ROS

    name = (error.name or "").partition(".")[0]
    if name in ("", "bea_ros"):
        raise error
    what = (
        f"ROS 2 is needed, and {name} is not here" if name in ROS else f"{name} is not installed"
    )
    print(
        f"bea: {what}: `make venv` in a checkout brings it, or `rosdep install` in a workspace, "
        "which has to be sourced (docs/install.md)",
        file=sys.stderr,
    )
    return USER_ERROR


def _in_words(error: Exception) -> str:
    """What is wrong, without the numbers and quotes of what the system refuses."""
    if isinstance(error, FileNotFoundError) and not error.filename:  # of os.getcwd()
        return "the working directory was removed: change to one that exists"
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return printable(where + error.strerror)
    return "\n".join(map(printable, str(error).splitlines()))


if __name__ == "__main__":
    sys.exit(main())
