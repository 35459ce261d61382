# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How many evaluations were planned for a run, which may be extended when it is resumed.

run.yaml has under `evaluations` the number that holds now and, of a run that was extended, under
`budgets` all of them, each with the evaluation from which on it held. An optimizer that is told
the log again plans with each from there on, and so asks for the same candidates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bea_ros.runs.folder.head import RunFolderError

Request = Mapping[str, Any]


def budgets_of(request: Request) -> list[tuple[int, int]]:
    """Evaluation from which on, and how many in all; raises RunFolderError."""
    found = request.get("budgets")
    if found is None:
        planned = request.get("evaluations")
        return [(1, planned)] if isinstance(planned, int) else []
    try:
        budgets = [(int(first), int(budget)) for first, budget in found]
    except (TypeError, ValueError):
        raise RunFolderError(f"there are no budgets like these: {found!r}") from None
    if not budgets or budgets != sorted(set(budgets)) or budgets[0][0] != 1:
        raise RunFolderError(f"there are no budgets like these: {found!r}")
    return budgets


def is_longer(before: Request, request: Request) -> bool:
    """Whether a request is for more evaluations than a run was begun with."""
    planned, wanted = before.get("evaluations"), request.get("evaluations")
    return isinstance(planned, int) and isinstance(wanted, int) and wanted > planned


def extended(
    head: Mapping[str, Any], request: Request, evaluation: int
) -> tuple[dict[str, Any], str]:
    """run.yaml of a run that is extended from this evaluation on, and what changes in words."""
    planned, wanted = head["request"]["evaluations"], request["evaluations"]
    # An extension of which nothing came is none.
    before = [[first, n] for first, n in budgets_of(head["request"]) if first < evaluation]
    budgets = [*before, [evaluation, wanted]] if before else [[1, wanted]]
    change = f"{wanted} evaluations are asked for, {planned} before"
    entry = {"evaluation": evaluation, "what": [change]}
    new = {**head["request"], "evaluations": wanted, "budgets": budgets}
    return {**head, "request": new, "changes": [*head.get("changes", []), entry]}, change
