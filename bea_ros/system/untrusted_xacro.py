# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Expands xacro files that are not trusted.

A separate process with limited time and memory expands them. Their expressions are evaluated by
arithmetic.py, not by Python.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import xml.dom.minidom
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bea_ros.system.arithmetic import value_of
from bea_ros.system.files import read_whole
from bea_ros.system.processes import how_it_ended
from bea_ros.system.terminal import printable

LARGEST = 2**20  # bytes of a file, and of the result
PROCESSOR_TIME = 10  # s; ours take 0.1 s
MEMORY = 2**30  # bytes
PATIENCE = 60.0  # s, in case a file system does not answer
CHILD = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from bea_ros.system.untrusted_xacro import main; main()"
)
EXTENSIONS = re.compile(r"\$\((arg\s+\S+|find\s+\w+|cwd)\s*\)", re.ASCII)


class XacroError(ValueError):
    """A file that is refused or is not valid xacro; the message is one line."""


def expand(path: Path, mappings: Mapping[str, str]) -> str:
    """The XML of a xacro file with these arguments; raises XacroError."""
    words = [json.dumps(sys.path), str(path), json.dumps(dict(mappings))]
    command = [sys.executable, "-I", "-c", CHILD, *words]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL
        )
        answer = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise XacroError(f"takes longer than {PATIENCE:.0f} s") from None
    except ValueError:
        limits = f"{PROCESSOR_TIME} s and {MEMORY // 2**30} GiB are allowed"
        raise XacroError(f"{how_it_ended(done.returncode)}; {limits}") from None
    if warnings := done.stderr.decode(errors="replace").splitlines():
        print(*map(printable, warnings), sep="\n", file=sys.stderr)
    if "error" in answer:
        raise XacroError(answer["error"])
    return str(answer["xml"])


def main() -> None:
    """Expand a file in this process, with limits, and print the result as JSON."""
    for what, most in ((resource.RLIMIT_CPU, PROCESSOR_TIME), (resource.RLIMIT_AS, MEMORY)):
        resource.setrlimit(what, (most, most))
    path, mappings = sys.argv[2], json.loads(sys.argv[3])
    try:
        answer = {"xml": _expanded(path, mappings)}
    except Exception as caught:  # xacro passes on any error of its expressions
        error = _own(caught)
        name = "" if isinstance(error, XacroError) else f"{type(error).__name__}: "
        answer = {"error": printable(name + " ".join(str(error).split()))}
    print(json.dumps(answer))


def _own(error: Exception) -> Exception:
    """The XacroError that xacro wrapped in its own, or else the error itself."""
    inner: Any = error
    while inner is not None and not isinstance(inner, XacroError):
        inner = getattr(inner, "exc", None)
    return inner or error


def _expanded(path: str, mappings: Mapping[str, str]) -> str:
    import xacro

    stock_extension = xacro.eval_extension

    def fatal(*words: Any) -> None:
        raise XacroError(" ".join(map(str, words)))

    def evaluate(text: Any, known: Any, symbols: Any = None) -> Any:
        arguments = xacro.substitution_args_context["arg"]
        functions = {"xacro.fatal": fatal, "xacro.arg": lambda name: arguments[name]}
        return value_of(str(text), known if symbols is None else symbols, functions)

    def extension(text: str) -> Any:
        if not EXTENSIONS.fullmatch(text):
            raise XacroError(
                f"{text} is refused: $(arg NAME), $(find PACKAGE), $(cwd) are allowed"
            )
        return stock_extension(text)

    def parse(given: Any, filename: str | None = None) -> xml.dom.minidom.Document:
        try:
            document = xml.dom.minidom.parseString(given or read_whole(filename or "", LARGEST))
        except OSError as error:
            xacro.filestack.pop()  # as xacro's own parse does
            raise xacro.XacroException(f"{error.strerror}: {filename}", exc=error) from error
        if document.doctype:
            raise XacroError(f"{filename}: a DOCTYPE is refused")
        return document

    # A xacro version without these names would ignore the replacements.
    for name, ours in (("safe_eval", evaluate), ("eval_extension", extension), ("parse", parse)):
        if not callable(getattr(xacro, name, None)):
            raise XacroError("this xacro cannot be restrained: 2.0.8 or newer is needed")
        setattr(xacro, name, ours)
    text = xacro.process_file(path, mappings=mappings).toprettyxml(indent="  ")
    if len(text) > LARGEST:
        raise XacroError(f"becomes larger than {LARGEST // 2**20} MiB")
    return text
