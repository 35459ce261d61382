# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The fitness functions: pure functions of a trajectory; a new task is one decorated function.

Each function takes a `Trajectory` and keyword options. It returns the fitness and its terms by
name. Options follow the task's name, as in `gait:form=path` or
`directed_locomotion:direction=1.57`.

The length of a path is measured over chords between poses a tenth of the duration apart, as in the
published code (Revolve, Evaluator.cpp). Noise makes each piece of a path longer, so the length
over all poses of a robot that stands still would grow with the frame rate. `chords=0` takes all
poses.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bea_ros.tasks.trajectory import Trajectory

PUBLISHED_CHORDS, MOST_CHORDS = 10, 1000
SHORTEST, LONGEST = 0.1, 3600.0  # s, of an evaluation


class TaskError(ValueError):
    """An unknown task or option of a task, or a duration or number that cannot be measured."""


@dataclass(frozen=True)
class Fitness:
    """A fitness, maximised, and its terms by name."""

    value: float
    terms: dict[str, float]


@dataclass(frozen=True)
class Task:
    """A task: its fitness function, the published duration of an evaluation (s), its unit.

    The fitness of an `additive` task grows with the duration of the evaluation (metres, radians).
    That of one that `turns` counts turns, so the robot may not be unseen for half a turn.
    `name` includes the chosen `options` of the function.
    """

    name: str
    function: Callable[..., dict[str, float]]
    duration: float
    unit: str
    additive: bool
    turns: bool = False
    options: Mapping[str, int | float | str] = field(default_factory=dict)

    def evaluate(self, trajectory: Trajectory, duration: float | None = None) -> Fitness:
        """The fitness of a trajectory.

        If the trajectory is shorter than `duration` (s), because the robot came to the edge of the
        arena, an additive fitness is extrapolated to the full duration. Raises TaskError if the
        function returns something else than numbers by name, or one that is not finite.
        """
        found = self.function(trajectory, **self.options)
        try:
            terms = {name: float(value) for name, value in found.items()}  # of NumPy's types, too
            terms["fitness"]
        except (AttributeError, TypeError, ValueError, KeyError):
            raise TaskError(
                f"task {self.name}: its function has to return a dictionary of numbers, one of "
                "them 'fitness'"
            ) from None
        for name, value in terms.items():
            if not math.isfinite(value):
                raise TaskError(f"task {self.name}: {name} is {value}")
        terms["duration"] = float(trajectory.t[-1] - trajectory.t[0])
        if self.additive and duration is not None:
            terms["fitness"] *= duration / terms["duration"]
        return Fitness(terms["fitness"], terms)


TASKS: dict[str, Task] = {}
# Units of the terms of fitnesses; a fitness has its task's unit.
UNITS = {"displacement": "m", "path_length": "m", "distance": "m", "deviation": "m",
         "angle": "rad", "duration": "s"}  # fmt: skip


def task(
    duration: float, unit: str, additive: bool = False, turns: bool = False
) -> Callable[[Callable[..., dict[str, float]]], Callable[..., dict[str, float]]]:
    """Register a fitness function as a task of the same name.

    The type of an option is that of its default: a word, a whole number or a float. The function
    and chosen options are checked by evaluating a robot that does not move.
    """

    def register(function: Callable[..., dict[str, float]]) -> Callable[..., dict[str, float]]:
        name = function.__name__
        TASKS[name] = Task(name, function, duration, unit, additive, turns)
        return function

    return register


def find_task(name: str) -> Task:
    """The task of a name with its options: `gait` or `gait:form=path`.

    Raises TaskError for an unknown task or option, with the known ones, and for a refused value.
    """
    own, *chosen = name.split(":")
    if own not in TASKS:
        raise TaskError(f"no task {own!r}, only {', '.join(TASKS)}")
    options = dict(_option(TASKS[own], words) for words in chosen)
    if len(options) < len(chosen):
        raise TaskError(f"task {name} has an option twice")
    found = replace(TASKS[own], name=name, options=options)
    found.evaluate(Trajectory.standing(found.duration))
    return found


def _option(task: Task, chosen: str) -> tuple[str, int | float | str]:
    """Name and value of an option, such as `form=path`; raises TaskError."""
    name, _, word = chosen.partition("=")
    known = dict(list(inspect.signature(task.function).parameters.items())[1:])
    if name not in known:
        only = f"only {', '.join(known)}" if known else "nor any other"
        raise TaskError(f"task {task.name} has no option '{name}', {only}")
    kind = type(known[name].default)
    if kind not in (int, float, str):
        raise TaskError(
            f"task {task.name}: {name} cannot be chosen: its default is not a word or number"
        )
    try:
        value = kind(word)
        if not word or (kind is float and not math.isfinite(value)):
            raise ValueError
    except ValueError:
        kinds = {int: "a whole number", float: "a number"}
        raise TaskError(
            f"task {task.name}: {name} is '{word}': allowed is {kinds.get(kind, 'a word')}"
        ) from None
    return name, value


def unit_of(task: str) -> str:
    """The unit of a task's fitness; empty for a task that this installation does not have."""
    own, _, _ = task.partition(":")
    return TASKS[own].unit if own in TASKS else ""


def title_of(task: str) -> str:
    """The name of a task for display: with blanks, and its options as typed."""
    own, colon, options = task.partition(":")
    return own.replace("_", " ") + colon + options


def check_duration(duration: float) -> float:
    """The duration of an evaluation (s); raises TaskError for one that cannot be measured."""
    if not SHORTEST <= duration <= LONGEST:
        raise TaskError(f"a duration of {duration} s is not within {SHORTEST} to {LONGEST:.0f} s")
    return duration


def worst_of(fitnesses: Iterable[float]) -> float:
    """The fitness of a candidate that cannot be measured: the worst so far, 0 at most."""
    return min([0.0, *fitnesses])


def path_length(trajectory: Trajectory, chords: int) -> float:
    """Length of the path in m, over `chords` chords; 0: over all poses. Raises TaskError."""
    if not 0 <= chords <= MOST_CHORDS:
        raise TaskError(f"chords is {chords}: allowed is a whole number from 0 to {MOST_CHORDS}")
    path = trajectory.chords(chords) if chords else trajectory
    return float(np.hypot(np.diff(path.x), np.diff(path.y)).sum())


def turned(trajectory: Trajectory) -> float:
    """Angle turned in rad, anticlockwise positive: the sum of the wrapped yaw increments."""
    return float(wrap(np.diff(trajectory.yaw)).sum())


def wrap(angle: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """The same angle within [-pi, pi)."""
    return (np.asarray(angle) + math.pi) % (2 * math.pi) - math.pi


@task(duration=30.0, unit="m/s")
def gait(
    trajectory: Trajectory, *, form: str = "displacement", chords: int = PUBLISHED_CHORDS
) -> dict[str, float]:
    """Speed: net displacement / duration (paper: "as far as possible from the starting point"),
    m/s.

    `form="path"` takes the length of the path instead (Revolve's learners branch). A robot that
    does not move gets 0.
    """
    duration = float(trajectory.t[-1] - trajectory.t[0])
    displacement = float(
        np.hypot(trajectory.x[-1] - trajectory.x[0], trajectory.y[-1] - trajectory.y[0])
    )
    length = path_length(trajectory, chords)
    if form not in ("displacement", "path"):
        raise TaskError(f"gait has the forms displacement and path, not '{form}'")
    distance = displacement if form == "displacement" else length
    return {
        "fitness": distance / duration,
        "displacement": displacement,
        "path_length": length,
    }


@task(duration=60.0, unit="m", additive=True)
def directed_locomotion(
    trajectory: Trajectory, *, direction: float = 0.0, chords: int = PUBLISHED_CHORDS
) -> dict[str, float]:
    """Distance in a direction: F = |D|/L (D/(alpha + 1) - 0.01 P), m (Revolve, Evaluator.cpp).

    `direction` is the target direction in rad, anticlockwise from the robot's own forward
    direction at the start. D is the displacement projected on it, P the distance from the target
    line, alpha the angle between displacement and target direction, L the length of the path. A
    robot that does not move gets 0.
    """
    if not abs(direction) <= 2 * math.pi:
        raise TaskError(f"direction is {direction:g}: allowed is -6.28 to 6.28 rad, not degrees")
    heading = float(trajectory.yaw[0]) + direction
    dx = float(trajectory.x[-1] - trajectory.x[0])
    dy = float(trajectory.y[-1] - trajectory.y[0])
    along = dx * math.cos(heading) + dy * math.sin(heading)
    aside = abs(dy * math.cos(heading) - dx * math.sin(heading))
    deviation = math.atan2(aside, along)
    length = path_length(trajectory, chords)
    fitness = abs(along) / length * (along / (deviation + 1) - 0.01 * aside) if length else 0.0
    return {
        "fitness": fitness,
        "distance": along,
        "deviation": aside,
        "angle": deviation,
        "path_length": length,
    }


@task(duration=15.0, unit="rad", additive=True, turns=True)
def rotating(
    trajectory: Trajectory, *, path_weight: float = 3.0, chords: int = PUBLISHED_CHORDS
) -> dict[str, float]:
    """Turning on the spot: angle turned anticlockwise minus `path_weight` (rad/m) times the path
    length, rad.

    Revolve's factor is 3.0; the paper prints none. The robot must turn less than half a turn
    between two poses.
    """
    angle = turned(trajectory)
    length = path_length(trajectory, chords)
    return {"fitness": angle - path_weight * length, "angle": angle, "path_length": length}
