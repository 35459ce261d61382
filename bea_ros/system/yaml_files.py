# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads YAML files that are not trusted; makes YAML with a checksum in its last line."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Any

import yaml

from bea_ros.system.files import read_whole

LARGEST = 2**20  # bytes; ours have a few thousand
MOST_VALUES = 30_000  # ours have hundreds; reading this many takes a second
LONGEST_NUMBER = 100  # characters; longer ones take minutes to read, or cannot be written again
# Terminal control characters and surrogates, which no valid text has.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
OCTAL = re.compile("[-+]?0[0-7_]+")  # YAML 1.1: a pin 017 would be pin 15
CHECKSUM = re.compile(rb"^# crc: ([0-9a-f]{8})\n\Z", re.MULTILINE)


# What PyYAML raises: ValueError for 2026-02-31, others for `!!bool maybe`, 1:1:1..., `!!int ""`.
UNREADABLE = (yaml.YAMLError, ValueError, ArithmeticError, LookupError, AttributeError)


class YamlFileError(ValueError):
    """A file that cannot be read as YAML; the message is one line that names it."""


class _Loader(yaml.SafeLoader):
    """Loads plain data. Repeated keys are refused, as one would be lost, and so are aliases."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        known = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in known:
                    line = key.start_mark.line + 1
                    raise yaml.YAMLError(f"line {line}: {key.value} is there a second time")
                known.add((key.tag, key.value))
        return super().construct_mapping(node, deep)

    def construct_scalar(self, node: Any) -> Any:
        text, line = super().construct_scalar(node), node.start_mark.line + 1
        if node.tag.endswith((":int", ":float")) and len(text) > LONGEST_NUMBER:
            raise yaml.YAMLError(f"line {line}: a number of {len(text)} characters")
        if node.tag.endswith(":int") and OCTAL.fullmatch(text):
            raise yaml.YAMLError(f"line {line}: {text} would be octal: write it without the 0")
        if UNPRINTABLE.search(text):
            raise yaml.YAMLError(f"line {line}: a character that cannot be printed")
        return text

    values = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.values += 1
        if self.values > MOST_VALUES:
            line = self.peek_event().start_mark.line + 1
            raise yaml.YAMLError(f"line {line}: more than {MOST_VALUES} values")
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.YAMLError(f"line {mark.line + 1}: aliases (*) are not allowed")
        return super().compose_node(parent, index)


# Dates are words, and sets, pairs and bytes are refused: JSON has none of them.
_Loader.yaml_implicit_resolvers = {
    letter: [one for one in those if not one[0].endswith(":timestamp")]
    for letter, those in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.yaml_constructors = {
    tag: construct
    for tag, construct in yaml.SafeLoader.yaml_constructors.items()
    if not str(tag).endswith((":timestamp", ":binary", ":set", ":omap", ":pairs"))
}


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def read_yaml(what: str, path: str | Path, error: type[ValueError]) -> Any:
    """The content of a YAML file; raises `error` with one line that begins with `what`."""
    try:
        return parse_yaml(read_bytes(path), path)
    except OSError as why:
        raise error(f"{what} {path} cannot be read: {why.strerror}") from why
    except YamlFileError as why:
        raise error(f"{what} {why}") from why


def read_bytes(path: str | Path) -> bytes:
    """The bytes of a small file.

    Raises FileNotFoundError or NotADirectoryError if there is none, else YamlFileError.
    """
    try:
        return read_whole(path, LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else error
        raise YamlFileError(f"{path} cannot be read: {reason}") from error


def parse_yaml(content: bytes, name: str | Path) -> Any:
    """The data in a YAML text; raises YamlFileError."""
    try:
        return yaml.load(content.decode("utf-8"), _Loader)
    except RecursionError as error:
        raise YamlFileError(f"{name} cannot be read: not YAML: nested too deeply") from error
    except UNREADABLE as error:
        reason = " ".join(str(error).split())
        raise YamlFileError(f"{name} cannot be read: not YAML: {reason}") from error


def sealed(data: Any, remark: str = "") -> bytes:
    """Data as YAML; the last line is a comment with a checksum of all bytes before it."""
    head = f"# {remark}\n" if remark else ""
    body = (head + yaml.dump(data, Dumper=_Dumper, sort_keys=False)).encode()
    return body + f"# crc: {zlib.crc32(body):08x}\n".encode()


def is_intact(content: bytes) -> bool | None:
    """Whether the checksum of a sealed text is right; None if there is none."""
    found = CHECKSUM.search(content)
    return None if found is None else zlib.crc32(content[: found.start()]) == int(found[1], 16)
