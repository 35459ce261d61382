# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of faults: each does something bad to a run, and has undone it when it returns.

Registered by name with the topics and services that must be relayed for it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from disk import Disk
from graph_under_test import Run
from onlooker import Onlooker


@dataclass
class Scene:
    """What a fault has to work with; `gone` are the times (monotonic) the learner was away."""

    run: Run
    onlooker: Onlooker
    chance: random.Random
    disk: Disk
    gone: list[tuple[float, float]]


Fault = Callable[[Scene], str]  # returns what was done, in a word or two
KINDS: dict[str, tuple[Fault, tuple[str, ...]]] = {}


def kind(name: str, *relayed: str) -> Callable[[Fault], Fault]:
    def register(fault: Fault) -> Fault:
        KINDS[name] = (fault, relayed)
        return fault

    return register
