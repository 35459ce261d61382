# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads a recording: rosbag2, SQLite or MCAP, without ROS."""

from __future__ import annotations

import glob
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rosbags.highlevel import AnyReader

from bea_ros.bags.mending import is_cut_off, mend
from bea_ros.bags.sightings import sighting_of
from bea_ros.bags.topics import (
    ACTIVE,
    PARAMETER_EVENT,
    PARAMETER_EVENTS,
    PARAMETER_TYPES,
    POSE,
    STATUS,
    TOPICS,
)
from bea_ros.localization.window import Sighting
from bea_ros.system.files import check_regular, read_whole
from bea_ros.system.nanoseconds import SECOND

STORAGES = (".mcap", ".db3")
COMPRESSED = tuple(f"{suffix}.zstd" for suffix in STORAGES)
TYPES = {**TOPICS, PARAMETER_EVENTS: PARAMETER_EVENT}
METADATA, LARGEST_METADATA = "metadata.yaml", 2**24  # bytes


class BagError(ValueError):
    """A recording that cannot be used; the message is one line."""


@dataclass(frozen=True)
class Attempt:
    """A candidate that controlled the joints from `start` (ns) on, and the clock's sightings."""

    evaluation: int
    start: int
    parameters: dict[str, float]
    sightings: list[Sighting]

    @classmethod
    def of(cls, message: Any, sightings: list[Sighting]) -> Attempt:
        """The attempt of a CpgParameters message."""
        weights = dict(zip(message.names, message.values.tolist(), strict=True))
        return cls(message.evaluation, _stamp(message), weights, sightings)


@dataclass(frozen=True)
class Told:
    """The learner's status at `stamp` (ns)."""

    stamp: int
    robot: str
    task: str
    stage: str
    done: int
    fitness: float
    overhead: float  # s
    took: float  # s

    @classmethod
    def of(cls, m: Any) -> Told:
        """What a LearnerStatus message tells."""
        numbers = (float(m.fitness), float(m.overhead_time), float(m.evaluation_time))
        return cls(_stamp(m), m.robot, m.task, m.stage, m.evaluation, *numbers)


@dataclass
class Content:
    """The data of a bag that a recomputation needs, in the order of recording."""

    attempts: list[Attempt] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    parameters: dict[str, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))


def is_bag(path: Path) -> bool:
    """Whether a path looks like a rosbag2: its folder, or one of its files."""
    return any(file.name.endswith(STORAGES + COMPRESSED) for file in (path, *path.glob("*")))


def is_cut(path: Path) -> bool:
    """Whether a recording was cut off, as when the recorder was killed; raises OSError."""
    if path.is_dir() and not (path / METADATA).exists():
        return True
    return any(file.suffix == ".mcap" and is_cut_off(file) for file in _files(path))


def read_bag(path: Path, namespace: str | None) -> Content:
    """Read the recording of a learning run; `namespace` chooses one of several robots.

    Raises BagError.
    """
    content = Content()
    sightings: list[Sighting] = []
    for topic, message in _messages(path, namespace):
        if topic == POSE:
            sighting = sighting_of(message)
            if sightings and sighting.stamp < sightings[-1].stamp:  # the clock was set back
                sightings = []
            sightings.append(sighting)
        elif topic == ACTIVE and message.evaluation:
            content.attempts.append(Attempt.of(message, sightings))
        elif topic == STATUS:
            content.told.append(Told.of(message))
        elif topic == PARAMETER_EVENTS:
            of_robot, _, node = message.node.rpartition("/")
            if namespace is None or of_robot.strip("/") == namespace.strip("/"):
                content.parameters[node].update(_values(message))
    if not content.told:
        raise BagError(f"{path} has no message of a learner")
    return content


def _stamp(message: Any) -> int:
    return int(message.header.stamp.sec) * SECOND + int(message.header.stamp.nanosec)


def _values(event: Any) -> Mapping[str, Any]:
    fields = dict(PARAMETER_TYPES.values())
    return {
        p.name: getattr(p.value, fields[p.value.type])
        for p in (*event.new_parameters, *event.changed_parameters)
        if p.value.type in fields
    }


def _messages(path: Path, namespace: str | None) -> Iterator[tuple[str, Any]]:
    """Topics, relative to the robot's namespace, and messages in the order of recording."""
    try:
        _check_files(path)
        with _whole(path) as files, AnyReader(files) as reader:
            chosen = _robot_in(path, [c.topic for c in reader.connections], namespace)
            names = {f"{chosen}/{topic}": topic for topic in (POSE, STATUS, ACTIVE)}
            names[PARAMETER_EVENTS] = PARAMETER_EVENTS
            wanted = [c for c in reader.connections if c.topic in names]
            for c in wanted:
                if c.msgtype != (kind := TYPES[names[c.topic]]):
                    raise BagError(f"{path}: {c.topic} is of type {c.msgtype}, not {kind}")
            for connection, _, data in reader.messages(wanted):
                yield names[connection.topic], reader.deserialize(data, connection.msgtype)
    except BagError:
        raise
    except OSError as error:
        where = error.filename or path
        raise BagError(f"{where} cannot be read: {error.strerror or error}") from error
    except Exception as error:  # rosbags raises errors of any type for a damaged file
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BagError(f"{path} cannot be read: {reason}") from error


def _check_files(path: Path) -> None:
    """Raise OSError for FIFOs, devices and huge files, which rosbags and SQLite would open."""
    for file in (
        path.iterdir() if path.is_dir() else path.parent.glob(f"{glob.escape(path.name)}*")
    ):
        if not file.is_dir():
            check_regular(file)
    description = path / METADATA
    if path.is_dir() and description.exists():
        read_whole(description, LARGEST_METADATA)


@contextmanager
def _whole(path: Path) -> Iterator[list[Path]]:
    """The recording, or copies of its files with the complete records if it was cut off."""
    if not is_cut(path):
        yield [path]
        return
    with tempfile.TemporaryDirectory() as folder:
        files = []
        if not (given := _files(path)):
            raise BagError(f"{path} has no {METADATA}, which tells how its files are compressed")
        for file in given:
            files.append(file)
            if file.suffix == ".mcap" and is_cut_off(file):
                files[-1] = Path(folder) / file.name
                mend(file, files[-1])
        yield files


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(f for f in path.iterdir() if f.suffix in STORAGES)


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
