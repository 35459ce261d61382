# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Decides when and how fast servos move: armed, within limits, relaxed after silence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from bea_ros.hardware.servos import Servo
from bea_ros.robots import Joint

Vector = NDArray[np.float64]
LONGEST_STEP = 0.1  # s; after a longer pause, joints and first pulses do not catch up


class State(Enum):
    """Relaxed and stopped servos get no pulses; stopped ones must be disarmed before arming."""

    RELAXED = "relaxed"
    HOMING = "moving to neutral"
    FOLLOWING = "following"
    STOPPED = "emergency stop"


class Refused(ValueError):
    """A command was not carried out; the message says why."""


@dataclass(frozen=True)
class Pace:
    """How servos start and stop: `neutral_speed` (rad/s), `stagger` (s) and `silence` (s).

    `stagger` is the time between the first pulses of two servos; it limits the current.
    """

    neutral_speed: float = 0.5
    stagger: float = 0.1
    silence: float = 0.5


class JointControl:
    """Turns commands into joint positions; times are s of a steady clock.

    `position` (rad) and `velocity` (rad/s), shape (n,), were commanded last, in the order of the
    joints; the way to neutral starts from there. `relaxed` is called whenever the servos are
    relaxed.
    """

    def __init__(
        self,
        joints: Sequence[Joint | Servo],
        pace: Pace,
        relaxed: Callable[[], None] = lambda: None,
    ) -> None:
        self.names = [joint.name for joint in joints]
        self.pace = pace
        self.relaxed = relaxed
        self.index = {name: i for i, name in enumerate(self.names)}
        self.lower = np.array([joint.lower for joint in joints])
        self.upper = np.array([joint.upper for joint in joints])
        self.fastest = np.array([joint.velocity for joint in joints])
        self.neutral = np.array([joint.neutral for joint in joints])
        self.position: Vector = self.neutral.copy()
        self.velocity: Vector = np.zeros(len(joints))
        self.target = self.neutral.copy()
        self.plan: list[tuple[float, Vector]] = []  # targets (rad) and when each ends (s)
        self.state = State.RELAXED
        self.reason = "not armed yet"
        self.heard: float | None = None  # time of the last command (s)
        self.objection = ""  # why commands since then were refused
        self.armed_at = 0.0  # s, later by the pauses since
        self.ticked = 0.0

    @property
    def armed(self) -> bool:
        """Whether the servos get pulses."""
        return self.state in (State.HOMING, State.FOLLOWING)

    def arm(self, now: float) -> None:
        """Power the servos, one after another, and move to neutral; raises Refused."""
        if self.state is State.STOPPED:
            raise Refused("emergency stop: disarm first")
        if self.armed:
            return
        self.armed_at = self.ticked = now
        if self.heard is not None and now - self.heard > self.pace.silence:
            self.heard = None  # no commands yet: silence counts from neutral on
        self.home()

    def home(self) -> None:
        """Move slowly to neutral before following other commands; call only when armed."""
        self.state, self.reason = State.HOMING, ""
        self.target, self.plan = self.neutral.copy(), []

    def relax(self, reason: str) -> None:
        """Stop the pulses until armed again."""
        if self.state is not State.STOPPED:
            self.state, self.reason = State.RELAXED, reason
        self.velocity, self.plan = np.zeros(len(self.names)), []
        self.relaxed()

    def disarm(self) -> None:
        """Relax; this also ends an emergency stop."""
        self.state = State.RELAXED
        self.relax("disarmed")

    def emergency_stop(self, reason: str) -> None:
        """Relax, and stay relaxed until disarmed and armed again."""
        self.relax(reason)
        self.state, self.reason = State.STOPPED, reason

    def play(
        self, joints: Sequence[str], points: Sequence[tuple[float, Sequence[float]]], now: float
    ) -> None:
        """Move to these positions (rad): each is valid until its time (s), the last one stays.

        All or none; raises Refused. Joints that are not named keep their previous command.
        """
        self._check(joints, points)
        self.heard, self.objection = now, ""
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
        if len(set(joints)) < len(joints):
            raise Refused("a joint is named twice")
        times = [until for until, _ in points]
        if times != sorted(times):
            raise Refused("its points are not in the order of their times")
        for _, positions in points or [(0.0, ())]:
            if not joints or len(joints) != len(positions):
                raise Refused(f"{len(positions)} positions for {len(joints)} joints")
            for joint, position in zip(joints, positions, strict=True):
                if not math.isfinite(position):
                    raise Refused(f"position of {joint} is {position}")

    def advance(self, now: float) -> int:
        """Advance to this time (s); returns the number of powered joints, the first ones."""
        if self.armed and self.heard is not None and now - self.heard > self.pace.silence:
            but = f", but refused ones: {self.objection}" if self.objection else ""
            self.relax(f"no joint command for {self.pace.silence:g} s{but}")
        if not self.armed:
            return 0
        self.target = self._target_at(now)
        passed = max(now - self.ticked, 0.0)
        step = min(passed, LONGEST_STEP)
        self.armed_at += passed - step
        self.ticked = now
        powered = self._powered(now)
        before = self.position
        self.position = self._moved(before, self.target, step, powered)
        count = len(self.names)
        self.velocity = (self.position - before) / step if step else np.zeros(count)
        at_neutral = powered == count and (self.position == self.neutral).all()
        if self.state is State.HOMING and at_neutral:
            self.state = State.FOLLOWING
            self.heard = now if self.heard is None else self.heard
        return powered

    def ahead(self, now: float, period: float, count: int) -> list[Vector]:
        """Predict positions (rad) without new commands: now and after 1 to `count` periods (s)."""
        positions = [self.position]
        for time in now + period * np.arange(1, count + 1):
            target, powered = self._target_at(time), self._powered(time)
            positions.append(self._moved(positions[-1], target, period, powered))
        return positions

    def _target_at(self, time: float) -> Vector:
        later = (target for until, target in self.plan if time < until)
        return next(later, self.plan[-1][1] if self.plan else self.target)

    def _powered(self, time: float) -> int:
        count, stagger = len(self.names), self.pace.stagger
        return min(count, 1 + int((time - self.armed_at) / stagger)) if stagger else count

    def _moved(self, before: Vector, target: Vector, step: float, powered: int) -> Vector:
        """Return the positions (rad) after a step (s) towards a target."""
        homing = self.state is State.HOMING
        speed = np.minimum(self.fastest, self.pace.neutral_speed) if homing else self.fastest
        reach = np.where(np.arange(len(self.names)) < powered, speed * step, 0.0)
        wanted = np.clip(target, before - reach, before + reach)
        return np.clip(wanted, self.lower, self.upper)


class ServoControl(JointControl):
    """The same for servos, which do not measure their angles."""

    def __init__(
        self, servos: Sequence[Servo], pace: Pace, relaxed: Callable[[], None] = lambda: None
    ) -> None:
        super().__init__(servos, pace, relaxed)
        self.servos = list(servos)

    def tick(self, now: float) -> dict[int, float]:
        """Advance to this time (s); returns pulses (us) by output. Other servos are relaxed."""
        powered = self.advance(now)
        return {
            servo.output: servo.pulse_of(position)
            for servo, position in list(zip(self.servos, self.position, strict=True))[:powered]
        }
