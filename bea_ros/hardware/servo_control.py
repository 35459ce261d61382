# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""When servos may move, and how fast: armed by the operator, within limits, stopped by silence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from bea_ros.hardware.servos import Servo

LONGEST_STEP = 0.1  # s; joints do not catch up on a time in which they could not be commanded


class State(Enum):
    """Relaxed servos get no pulses; stopped ones neither, until disarmed and armed again."""

    RELAXED = "relaxed"
    HOMING = "moving to neutral"
    FOLLOWING = "following"
    STOPPED = "emergency stop"


class Refused(ValueError):
    """A command that is not carried out; the message says why."""


@dataclass(frozen=True)
class Pace:
    """How servos are started and stopped: `neutral_speed` rad/s, `stagger` and `silence` s.

    `stagger` lies between one servo's first pulse and the next one's, for their current.
    """

    neutral_speed: float = 0.5
    stagger: float = 0.1
    silence: float = 0.5


class ServoControl:
    """Turns commands into what the servos are to do next; times are s of a steady clock.

    `position` (rad) and `velocity` (rad/s), shape (n,), are what was last commanded, in the order
    of the servos. A servo does not tell where it is: the way to neutral starts from there.
    `relaxed` is called whenever something relaxes the servos.
    """

    def __init__(
        self, servos: Sequence[Servo], pace: Pace, relaxed: Callable[[], None] = lambda: None
    ) -> None:
        self.servos = list(servos)
        self.pace = pace
        self.relaxed = relaxed
        self.index = {servo.joint: i for i, servo in enumerate(servos)}
        self.lower = np.array([servo.lower for servo in servos])
        self.upper = np.array([servo.upper for servo in servos])
        self.fastest = np.array([servo.velocity for servo in servos])
        self.neutral = np.array([servo.neutral for servo in servos])
        self.position: NDArray[np.float64] = self.neutral.copy()
        self.velocity: NDArray[np.float64] = np.zeros(len(servos))
        self.target = self.neutral.copy()
        self.plan: list[tuple[float, NDArray[np.float64]]] = []  # targets, and until when
        self.state = State.RELAXED
        self.reason = "not armed yet"
        self.heard: float | None = None  # when a command was followed last
        self.armed_at = 0.0
        self.ticked = 0.0

    @property
    def armed(self) -> bool:
        """Whether the servos get pulses."""
        return self.state in (State.HOMING, State.FOLLOWING)

    def switch(self, on: bool, now: float) -> None:
        """Arm or disarm; raises Refused."""
        if on:
            self.arm(now)
        else:
            self.disarm()

    def arm(self, now: float) -> None:
        """Power the servos, one after another, and move to neutral; raises Refused."""
        if self.state is State.STOPPED:
            raise Refused("emergency stop: disarm first")
        if self.armed:
            return
        self.armed_at = self.ticked = now
        if self.heard is not None and now - self.heard > self.pace.silence:
            self.heard = None  # nobody commands yet: it counts from neutral on
        self.home()

    def home(self) -> None:
        """Move to neutral, slowly, before anything else is followed; only when armed."""
        self.state, self.reason = State.HOMING, ""
        self.target, self.plan = self.neutral.copy(), []

    def relax(self, reason: str) -> None:
        """No more pulses until armed again."""
        if self.state is not State.STOPPED:
            self.state, self.reason = State.RELAXED, reason
        self.velocity, self.plan = np.zeros(len(self.servos)), []
        self.relaxed()

    def disarm(self) -> None:
        """Relax; also the way out of an emergency stop."""
        self.state = State.RELAXED
        self.relax("disarmed")

    def emergency_stop(self, reason: str) -> None:
        """Relax, and stay so until disarmed and armed again."""
        self.relax(reason)
        self.state, self.reason = State.STOPPED, reason

    def follow(self, joints: Sequence[str], positions: Sequence[float], now: float) -> None:
        """Go on to these positions (rad), all or none; raises Refused."""
        self.play(joints, [(now, positions)], now)

    def play(
        self, joints: Sequence[str], points: Sequence[tuple[float, Sequence[float]]], now: float
    ) -> None:
        """Go on to these positions (rad), each until its time and the last from then on.

        All or none; raises Refused. Joints that are not named keep what they were told before.
        """
        self._check(joints, points)
        self.heard = now
        if self.state is State.FOLLOWING:
            others = self.plan[-1][1] if self.plan else self.target
            named = [self.index[joint] for joint in joints]
            self.plan = [(until, others.copy()) for until, _ in points]
            for (_, target), (_, positions) in zip(self.plan, points, strict=True):
                target[named] = positions

    def _check(
        self, joints: Sequence[str], points: Sequence[tuple[float, Sequence[float]]]
    ) -> None:
        for joint in joints:
            if joint not in self.index:
                raise Refused(f"unknown joint {joint!r}; known: {', '.join(self.index)}")
        for _, positions in points or [(0.0, ())]:
            if not joints or len(joints) != len(positions):
                raise Refused(f"{len(positions)} positions for {len(joints)} joints")
            for joint, position in zip(joints, positions, strict=True):
                if not math.isfinite(position):
                    raise Refused(f"position of {joint} is {position}")

    def tick(self, now: float) -> dict[int, float]:
        """Pulses (us) by output from now on; servos that are not named are to be relaxed."""
        if self.armed and self.heard is not None and now - self.heard > self.pace.silence:
            self.relax(f"no joint command for {self.pace.silence:g} s")
        if not self.armed:
            return {}
        for until, target in self.plan:
            self.target = target
            if now < until:
                break
        step = min(max(now - self.ticked, 0.0), LONGEST_STEP)
        self.ticked = now
        count = len(self.servos)
        powered = count
        if self.pace.stagger:
            powered = min(count, 1 + int((now - self.armed_at) / self.pace.stagger))
        homing = self.state is State.HOMING
        speed = np.minimum(self.fastest, self.pace.neutral_speed) if homing else self.fastest
        reach = np.where(np.arange(count) < powered, speed * step, 0.0)
        before = self.position
        wanted = np.clip(self.target, before - reach, before + reach)
        self.position = np.clip(wanted, self.lower, self.upper)
        self.velocity = (self.position - before) / step if step else np.zeros(count)
        if homing and powered == count and (self.position == self.neutral).all():
            self.state = State.FOLLOWING
            self.heard = now if self.heard is None else self.heard
        return {
            servo.output: servo.pulse_of(position)
            for servo, position in list(zip(self.servos, self.position, strict=True))[:powered]
        }
