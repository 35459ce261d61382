# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the fuzzing of files, of runs and of nodes has in common."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from typing import Any

import yaml
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("BEA_FUZZ", "25"))
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="BEA_FUZZ" not in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
)
fuzz_slowly = settings(fuzz, max_examples=max(EXAMPLES // 10, 10))  # what takes long each time
tried: dict[str, int] = {}  # inputs, by what they were


def count(what: str) -> int:
    """One more input was tried; how many it is now."""
    tried[what] = tried.get(what, 0) + 1
    return tried[what]


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(2**63) - 1, 0, -1])
    | st.floats()
    | st.text(max_size=20)
    | st.dates()
    | st.binary(max_size=5)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8) | scalars, inner, max_size=4)
    ),
    max_leaves=12,
)
NASTY = [
    b"a: &a [*a]", b"a: &a {b: 1}\nc: {d: *a}", b"[" * 5000, b"{a: " * 5000, b"\xff\xfe", b"\0",
    b"!!python/object/apply:os.system [echo]", b"a: 2026-02-31", b"a: 1" + b"0" * 5000,
    b"? [a]\n: 1",
    b"a: !!bool maybe", b"a: !!int ''", b"a: !!timestamp now", b'a: "\\UFFFFFFFF"',
    b'a: "\\ud800"',
    b"a: " + b"1:" * 500 + b"1.5", b"a: " + b"1:" * 300000 + b"1", b"a: 0x" + b"f" * 500000,
    b'a: "\\e[2J"', b"a: !!binary '%%%'", b"a: .nan", b"- - - -", b"\t", b"%TAG ! x", b"a: |\n",
    b"--- a\n--- b",
]  # fmt: skip


def refused_or_good(what: str, error: type[Exception], read: Callable[[], Any]) -> Any:
    """What was read, or None if it was refused in one line."""
    count(what)
    try:
        return read()
    except error as refusal:
        message = str(refusal)
    assert len(message.splitlines()) == 1, message
    assert len(message) > 10
    return None


def changed(contents: Any) -> Any:
    """Contents with bytes put in place of others, or between them, or taken out."""

    def splice(content: bytes, at: int, gone: int, new: bytes) -> bytes:
        at %= len(content) + 1
        return content[:at] + new + content[at + gone :]

    return st.builds(
        splice, contents, st.integers(0, 2**20), st.integers(0, 30), st.binary(max_size=8)
    )


def texts(examples: Any) -> Any:
    """YAML of such values, of such values with some bytes changed, and things worse."""
    dumped = examples.map(lambda value: yaml.safe_dump(value, allow_unicode=True).encode())
    return dumped | dumped | changed(dumped) | st.sampled_from(NASTY) | st.binary(max_size=30)


@st.composite
def almost(draw: Any, good: Any) -> Any:
    """Data like these, but for a thing or two that is another, gone or too much."""
    data = copy.deepcopy(good)
    for _ in range(draw(st.integers(0, 2))):
        holder = data
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(holder[key], dict | list) and draw(st.booleans()):
                holder = holder[key]
                continue
            what = draw(st.sampled_from(["another", "another", "gone", "more"]))
            if what == "another":
                holder[key] = draw(near(holder[key]) | values)
            elif what == "gone":
                del holder[key]
            elif isinstance(holder, dict):
                holder[draw(st.text(max_size=8))] = draw(values)
            else:
                holder.append(draw(near(holder[key]) | values))
            break
    return data


def near(value: Any) -> Any:
    """Numbers like this one, and numbers that a careless hand may write for it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return values
    if abs(value) > 1e6:
        return scalars
    scales = st.sampled_from([-1, 0, 0.5, 1.01, 2, 1000, 1e300])
    return scales.map(lambda scale: value * scale) | st.just(str(value)) | scalars
