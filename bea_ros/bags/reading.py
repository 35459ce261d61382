# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads a recording (rosbag2, SQLite or MCAP) and computes every fitness in it again."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rosbags.highlevel import AnyReader, AnyReaderError

from bea_ros.bags.sightings import sighting_of
from bea_ros.bags.topics import ACTIVE, PARAMETER_EVENTS, PARAMETER_TYPES, POSE, STATUS
from bea_ros.localization.arena import Arena
from bea_ros.localization.window import SECOND, Sighting, Untrusted
from bea_ros.referee import Referee
from bea_ros.resources import resource_path
from bea_ros.run_folder import read_request
from bea_ros.tasks import Fitness, Task, Trajectory, find_task

STORAGES = (".mcap", ".db3")


class BagError(ValueError):
    """A recording that cannot be used; the message is one line."""


@dataclass(frozen=True)
class Attempt:
    """A candidate that took over the joints at `start` (ns), and what was seen by that clock."""

    start: int
    parameters: dict[str, float]
    sightings: list[Sighting]


@dataclass(frozen=True)
class Evaluation:
    """An evaluation that the learner counted, and what the recording says of it.

    `logged` is the fitness that the learner told, `fitness` the one computed from the recorded
    poses; where they are no measurement, it is None, and `problem` says why.
    """

    evaluation: int
    attempts: int
    stage: str
    logged: float
    parameters: dict[str, float]
    overhead: float  # s
    took: float  # s
    fitness: Fitness | None = None
    trajectory: Trajectory | None = None
    problem: str = ""

    @property
    def equal(self) -> bool:
        """Whether both are the same number, to the last bit."""
        return self.fitness is not None and self.fitness.value == self.logged


@dataclass(frozen=True)
class Recording:
    """What was recorded of a learning run."""

    path: Path
    robot: str
    task: Task
    duration: float  # s
    evaluations: list[Evaluation]


@dataclass
class _Content:
    """Messages of a bag, as far as they matter."""

    sightings: list[Sighting] = field(default_factory=list)  # since the clock was last set back
    attempts: dict[int, list[Attempt]] = field(default_factory=lambda: defaultdict(list))
    told: dict[int, Any] = field(default_factory=dict)  # the first status after each evaluation
    stages: dict[int, str] = field(default_factory=dict)
    parameters: dict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))


def is_bag(path: Path) -> bool:
    """Whether this looks like a rosbag2: its folder, or a file of one."""
    return path.suffix in STORAGES or any(f.suffix in STORAGES for f in path.glob("*"))


def read_recording(path: Path, namespace: str | None = None) -> Recording:
    """Compute every fitness in a bag again.

    Of several robots in a bag, `namespace` chooses. How it was measured is taken from the recorded
    parameters, else from the run's folder that the bag is in. Raises BagError.
    """
    content = _read(path, namespace)
    status = next(reversed(content.told.values()), None)
    if status is None:
        raise BagError(f"{path} has no evaluation that was finished")
    task = find_task(status.task)
    localization = content.parameters["camera_localization"]
    duration = content.parameters["learner"].get("duration")
    if duration is None:
        duration = (read_request(path.parent) or {}).get("duration")
    duration = duration or task.duration
    arena = Arena.load(localization.get("arena") or resource_path("config/arena.yaml"))
    referee = Referee(localization, arena)
    evaluations = [_again(content, number, referee, task, duration) for number in content.told]
    return Recording(path, status.robot, task, duration, evaluations)


def _again(
    content: _Content, number: int, referee: Referee, task: Task, duration: float
) -> Evaluation:
    status, attempts = content.told[number], content.attempts[number]
    known = Evaluation(
        evaluation=number,
        attempts=len(attempts),
        stage=content.stages[number],
        logged=float(status.fitness),
        parameters=attempts[-1].parameters if attempts else {},
        overhead=float(status.overhead_time),
        took=float(status.evaluation_time),
    )
    if not attempts:
        return replace(known, problem="when it began was not recorded")
    start, gap = attempts[-1].start, round(referee.trust.gap * SECOND)
    sightings = attempts[-1].sightings
    stamps = [sighting.stamp for sighting in sightings]
    first = bisect_left(stamps, start - gap)
    last = bisect_left(stamps, start + round(duration * SECOND) + gap + 1)
    seen = sightings[first:last]
    try:
        fitness, trajectory = referee.measure(task, seen, start, duration)
    except Untrusted as why:
        return replace(known, problem=str(why))
    return replace(known, fitness=fitness, trajectory=trajectory)


def _read(path: Path, namespace: str | None) -> _Content:
    content = _Content()
    stage = ""
    for topic, message in _messages(path, namespace):
        if topic == POSE:
            sighting = sighting_of(message)
            if content.sightings and sighting.stamp < content.sightings[-1].stamp:
                content.sightings = []
            content.sightings.append(sighting)
        elif topic == ACTIVE and message.evaluation:
            stamp = message.header.stamp
            weights = dict(zip(message.names, message.values.tolist(), strict=True))
            content.attempts[message.evaluation].append(
                Attempt(stamp.sec * SECOND + stamp.nanosec, weights, content.sightings)
            )
        elif topic == STATUS:
            if message.evaluation and message.evaluation not in content.told:
                content.told[message.evaluation] = message
                content.stages[message.evaluation] = stage
            stage = message.stage
        elif topic == PARAMETER_EVENTS:
            node = message.node.rsplit("/", 1)
            if namespace is None or node[0] == namespace:
                content.parameters[node[1]].update(_values(message))
    return content


def _values(event: Any) -> Mapping[str, Any]:
    fields = dict(PARAMETER_TYPES.values())
    return {
        p.name: getattr(p.value, fields[p.value.type])
        for p in (*event.new_parameters, *event.changed_parameters)
        if p.value.type in fields
    }


def _messages(path: Path, namespace: str | None) -> Iterator[tuple[str, Any]]:
    """Messages in the order in which they came, with their topics relative to the robot's."""
    try:
        with AnyReader([path]) as reader:
            chosen = _robot_in(path, [c.topic for c in reader.connections], namespace)
            names = {f"{chosen}/{topic}": topic for topic in (POSE, STATUS, ACTIVE)}
            names[PARAMETER_EVENTS] = PARAMETER_EVENTS
            wanted = [c for c in reader.connections if c.topic in names]
            for connection, _, data in reader.messages(wanted):
                yield names[connection.topic], reader.deserialize(data, connection.msgtype)
    except FileNotFoundError:
        raise BagError(
            f"{path} has no metadata.yaml, as when its recording was cut off: "
            f"'ros2 bag reindex {path}' makes one"
        ) from None
    except (AnyReaderError, OSError) as error:
        raise BagError(f"{path} cannot be read: {error}") from error


def _robot_in(path: Path, topics: list[str], namespace: str | None) -> str:
    """The namespace of the robot whose learner was recorded."""
    robots = sorted({t.removesuffix(f"/{STATUS}") for t in topics if t.endswith(f"/{STATUS}")})
    wanted = robots if namespace is None else [f"/{namespace.strip('/')}".rstrip("/")]
    if len(wanted) != 1 or wanted[0] not in robots:
        names = ", ".join(robot or "/" for robot in robots)
        raise BagError(
            f"{path} is of the robots {names}: choose one with --namespace"
            if robots
            else f"{path} is of no learning run: it has no {STATUS}"
        )
    missing = [t for t in (POSE, ACTIVE) if f"{wanted[0]}/{t}" not in topics]
    if missing:
        raise BagError(f"{path} lacks {' and '.join(missing)}")
    return wanted[0]
