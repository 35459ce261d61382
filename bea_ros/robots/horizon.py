# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Joint commands for the next 0.25 s, so that the driver of the joints may miss messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bea_ros.robots.cpg import CommandLimiter, Vector
from bea_ros.system.nanoseconds import SECOND

HORIZON = 250_000_000  # ns of commands in a message
REMEMBERED = 8  # number of plans


@dataclass(frozen=True)
class Plan:
    """Commands (rad), shape (n, joints), one per period, and the one `passed` s before them."""

    before: Vector
    passed: float
    commands: Vector


class Planner:
    """Plans joint commands within their limits.

    In a simulation (`by_stamps`) the commands depend on the stamps only. A plan for another or a
    repeated time does not change them: if somebody else sets the clock, the robot does not follow
    that plan. All times, and `period`, are in ns.
    """

    def __init__(self, limiter: CommandLimiter, period: int, by_stamps: bool) -> None:
        self.limiter, self.period, self.by_stamps = limiter, period, by_stamps
        self.count = -(-HORIZON // period)
        self._plans: dict[int, Plan] = {}  # the last ones by time, in the order of planning
        self._latest = Plan(limiter.neutral, period / SECOND, limiter.neutral[None])
        self._made = 0  # steady time of the latest plan (ns)

    def plan(self, now: int, steady: int, targets: Callable[[int], Vector] | None = None) -> Plan:
        """Return the commands from `now` on; `steady` is the same time on a monotonic clock.

        `targets` gives joint targets (rad) at a time. Without it the joints go to neutral.
        """
        if self.by_stamps:
            before, passed = self._before(now)
        else:
            before, passed = self._told(self._latest, max(steady - self._made, 0))
        commands: list[Vector] = []
        if self.by_stamps and targets is None and now in self._plans:
            commands.append(self._plans[now].commands[0])  # a stop follows it
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

    def _before(self, now: int) -> tuple[Vector, float]:
        """The last command of a simulated robot before a time, and since when it is valid (s)."""
        span = self.count * self.period
        earlier = {
            now - time: plan for time, plan in self._plans.items() if 0 < now - time <= span
        }
        if earlier:  # plans whole periods ago come first: other times were set by somebody else
            in_step = [passed for passed in earlier if passed % self.period == 0]
            passed = (in_step or list(earlier))[-1]
            return self._told(earlier[passed], passed)
        if now in self._plans:
            return self._plans[now].before, self._plans[now].passed
        return self._latest.commands[-1], self.period / SECOND  # the whole plan is over

    def _told(self, plan: Plan, passed: int) -> tuple[Vector, float]:
        """The command of a plan `passed` ns after its begin, and since when it is valid (s)."""
        whole = min(max(-(-passed // self.period) - 1, 0), len(plan.commands) - 1)
        share = min(passed - whole * self.period, self.period)
        return plan.commands[whole], share / SECOND
