# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The loop between an optimizer and an objective, for the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bea_ros.optimizers import Optimizer


def run(optimizer: Any, count: int, fitness: Callable[[Any], float], **times: float) -> Any:
    """Ask and tell so often; returns the optimizer."""
    for _ in range(count):
        x = optimizer.ask()
        optimizer.tell(x, fitness(x), **times)
    return optimizer


def bowl(x: Any) -> float:
    """A fitness that is best, and 0, at 0.3."""
    return -float(((x - 0.3) ** 2).sum())


def stages(optimizer: Optimizer) -> list[str]:
    """The stage of each evaluation."""
    return [record.stage for record in optimizer.history]
