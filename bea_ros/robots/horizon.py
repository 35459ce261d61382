# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Joint commands of the next moments: who drives the joints may miss some messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bea_ros.robots.cpg import CommandLimiter, Vector

HORIZON = 250_000_000  # ns of commands in a message
REMEMBERED = 8  # plans
SECOND = 10**9  # ns


@dataclass(frozen=True)
class Plan:
    """Commands (rad), shape (n, joints), one a period, and the one that `passed` s before them."""

    before: Vector
    passed: float
    commands: Vector


class Planner:
    """Makes plans, in which each command is as far from the one before as may be.

    In a simulation (`by_stamps`) a time gets the same commands, however many other times are asked
    for before or twice: what was said at a time to which somebody else set the clock nobody
    obeyed. Times are ns, `period` too.
    """

    def __init__(self, limiter: CommandLimiter, period: int, by_stamps: bool) -> None:
        self.limiter, self.period, self.by_stamps = limiter, period, by_stamps
        self.count = -(-HORIZON // period)
        self._plans: dict[int, Plan] = {}  # the last ones by their times, in the order made
        self._latest = Plan(limiter.neutral, period / SECOND, limiter.neutral[None])
        self._made = 0  # ns of a clock that nobody sets: when the latest was

    def plan(self, now: int, steady: int, targets: Callable[[int], Vector] | None = None) -> Plan:
        """Commands from `now` on, which is `steady` by a clock that nobody sets.

        `targets` (rad) of a time; without, the joints go to neutral.
        """
        before, passed = self._before(now) if self.by_stamps else self._played(steady)
        commands: list[Vector] = []
        if self.by_stamps and targets is None and now in self._plans:
            commands.append(self._plans[now].commands[0])  # a stop begins after what is obeyed
        self.limiter.reset(commands[0] if commands else before)
        while len(commands) < self.count:
            time = now + len(commands) * self.period
            wanted = targets(time) if targets else self.limiter.neutral
            step = self.period / SECOND if commands else passed
            commands.append(self.limiter.limit(wanted, step, direct=targets is None))
        self._plans.pop(now, None)
        self._latest, self._made = Plan(before, passed, np.array(commands)), steady
        self._plans[now] = self._latest
        while len(self._plans) > REMEMBERED:
            del self._plans[next(iter(self._plans))]
        return self._latest

    def _played(self, steady: int) -> tuple[Vector, float]:
        """What the joints are told by the latest plan now, and for how long (s)."""
        return self._told(self._latest, max(steady - self._made, 0))

    def _before(self, now: int) -> tuple[Vector, float]:
        """What a simulated robot was told before this time, and for how long (s)."""
        span = self.count * self.period
        earlier = {
            now - time: plan for time, plan in self._plans.items() if 0 < now - time <= span
        }
        if earlier:  # whole periods, as a simulation has them, before a time that somebody set
            in_step = [passed for passed in earlier if passed % self.period == 0]
            passed = (in_step or list(earlier))[-1]
            return self._told(earlier[passed], passed)
        if now in self._plans:
            return self._plans[now].before, self._plans[now].passed
        return self._latest.commands[-1], self.period / SECOND  # all of it was played since

    def _told(self, plan: Plan, passed: int) -> tuple[Vector, float]:
        """What a plan tells when this time (ns) of it has `passed`, and for how long (s)."""
        whole = min(max(-(-passed // self.period) - 1, 0), len(plan.commands) - 1)
        share = min(passed - whole * self.period, self.period)
        return plan.commands[whole], share / SECOND
