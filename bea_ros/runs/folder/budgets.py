# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Budgets of a run: a run may be extended when it is resumed.

In run.yaml, `evaluations` is the current budget. If the run was extended, `budgets` has all
budgets, each with its first evaluation. When the log is replayed, the optimizer uses each budget
from that evaluation on, so it proposes the same candidates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bea_ros.runs.folder.head import RunFolderError

Request = Mapping[str, Any]


def budgets_of(request: Request) -> list[tuple[int, int]]:
    """Return pairs of first evaluation and budget; raises RunFolderError."""
    found = request.get("budgets")
    if found is None:
        planned = request.get("evaluations")
        return [(1, planned)] if isinstance(planned, int) else []
    try:
        budgets = [(int(first), int(budget)) for first, budget in found]
    except (TypeError, ValueError):
        budgets = []
    if not budgets or budgets != sorted(set(budgets)) or budgets[0][0] != 1:
        raise RunFolderError(f"budgets must be pairs of evaluation and budget: {found!r}")
    return budgets


def is_longer(before: Request, request: Request) -> bool:
    """Whether a request has a larger budget than the run."""
    planned, wanted = before.get("evaluations"), request.get("evaluations")
    return isinstance(planned, int) and isinstance(wanted, int) and wanted > planned


def extended(
    head: Mapping[str, Any], request: Request, evaluation: int
) -> tuple[dict[str, Any], str]:
    """Return run.yaml of a run extended from an evaluation on, and the change in words."""
    planned, wanted = head["request"]["evaluations"], request["evaluations"]
    # An extension without an evaluation is dropped.
    before = [[first, n] for first, n in budgets_of(head["request"]) if first < evaluation]
    budgets = [*before, [evaluation, wanted]] if before else [[1, wanted]]
    change = f"{wanted} evaluations are asked for, {planned} before"
    entry = {"evaluation": evaluation, "what": [change]}
    new = {**head["request"], "evaluations": wanted, "budgets": budgets}
    return {**head, "request": new, "changes": [*head.get("changes", []), entry]}, change
