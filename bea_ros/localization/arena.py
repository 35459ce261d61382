# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The arena: its size, and the markers on its floor and on the robot.

The map frame is the arena's: origin at its centre on the floor, x along its width, y along its
depth, z up. A marker's own frame has its origin at the marker's centre, x to the right and y up as
the printed marker is read, z out of the paper.
"""

from __future__ import annotations

import math
import reprlib
import zlib
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.markers.aruco import dictionary_names, marker_cells, marker_count
from bea_ros.robots import Robot
from bea_ros.system.resources import resource_path
from bea_ros.system.yaml_files import read_yaml

LARGEST = 100.0  # m, of an arena
FEWEST = 3  # floor markers from which the camera's pose is computed
HUGE = 1e9  # larger than any number in an arena's description


class ArenaError(ValueError):
    """An invalid description of an arena; the message says where, and what is allowed."""


@dataclass(frozen=True)
class Marker:
    """A square marker: id in the dictionary, side of its black square (m)."""

    id: int
    size: float

    def corners(self) -> Array:
        """(4, 3): top left, top right, bottom right, bottom left, in the marker's frame (m)."""
        half = self.size / 2
        return np.array([[-half, half, 0], [half, half, 0], [half, -half, 0], [-half, -half, 0]])


@dataclass(frozen=True)
class FloorMarker(Marker):
    """A marker flat on the arena's floor: its centre (m) and yaw (rad) in the map frame."""

    x: float
    y: float
    yaw: float = 0.0

    def pose(self) -> Array:
        """Pose of the marker frame in the map frame, shape (4, 4)."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return np.array([[c, -s, 0, self.x], [s, c, 0, self.y], [0, 0, 1, 0], [0, 0, 0, 1]])

    def corners_in_map(self) -> Array:
        """Corners in the map frame (m), shape (4, 3)."""
        pose = self.pose()
        return self.corners() @ pose[:3, :3].T + pose[:3, 3]


@dataclass(frozen=True)
class Arena:
    """An arena of `width` x `depth` (m), centred on the map's origin.

    Raises ArenaError if a size is not positive, an id is not in the dictionary or used twice, or
    two floor markers overlap.
    """

    width: float
    depth: float
    robot_marker: Marker
    floor_markers: tuple[FloorMarker, ...]
    dictionary: str = "DICT_4X4_50"

    def __post_init__(self) -> None:
        if self.dictionary not in dictionary_names():
            raise ArenaError(
                f"arena: unknown dictionary {self.dictionary!r}; "
                f"known: {', '.join(dictionary_names())}"
            )
        if not (0 < self.width <= LARGEST and 0 < self.depth <= LARGEST):
            raise ArenaError(
                f"arena: width and depth must be above 0 m and at most {LARGEST:g} m, "
                f"not {self.width} and {self.depth}"
            )
        count, used = marker_count(self.dictionary), set()
        for marker in (self.robot_marker, *self.floor_markers):
            if not 0 <= marker.id < count:
                raise ArenaError(
                    f"arena: marker id {marker.id} is not in {self.dictionary} (0 to {count - 1})"
                )
            if marker.id in used:
                raise ArenaError(f"arena: marker id {marker.id} is used twice")
            if not marker.size > 0:
                raise ArenaError(
                    f"arena: marker {marker.id}: size must be above 0 m, not {marker.size}"
                )
            used.add(marker.id)
        for i, one in enumerate(self.floor_markers):
            for other in self.floor_markers[:i]:
                if math.hypot(one.x - other.x, one.y - other.y) < (one.size + other.size) / 2:
                    raise ArenaError(f"arena: floor markers {other.id} and {one.id} overlap")

    def cells(self, marker: Marker) -> Image:
        """Return the marker's cells, one pixel each (see aruco.marker_cells)."""
        return marker_cells(self.dictionary, marker.id)

    @property
    def frame(self) -> str:
        """A name of this arena's map frame; another arena, or one with other markers, has another.

        It tells apart lengths that differ by 10 um, and angles by 10 urad.
        """
        markers = (self.robot_marker, *sorted(self.floor_markers, key=lambda marker: marker.id))
        numbers = [self.width, self.depth, *(n for marker in markers for n in astuple(marker))]
        words = [self.dictionary, *(f"{number:.5f}" for number in numbers)]
        return f"map {self.width:g} x {self.depth:g} m {zlib.crc32(' '.join(words).encode()):08x}"

    @staticmethod
    def load(path: str | Path) -> Arena:
        """Read a YAML file such as config/arena.yaml; raises ArenaError."""
        try:
            data = read_yaml("arena", path, ArenaError)
        except ArenaError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                raise ArenaError(f"{error}. --arena FILE names another") from error
            raise
        try:
            return Arena.from_dict(data)
        except ArenaError as error:
            raise ArenaError(f"{path}: {error}") from error

    @staticmethod
    def from_dict(data: Any) -> Arena:
        """Return the arena of a mapping with this class's fields as keys; raises ArenaError."""
        values = _checked("arena", Arena, data)
        markers = values["floor_markers"]
        if not isinstance(markers, list):
            raise ArenaError("arena: floor_markers must be a list of markers")
        values["floor_markers"] = tuple(
            FloorMarker(**_checked(f"floor_markers[{i}]", FloorMarker, marker))
            for i, marker in enumerate(markers)
        )
        values["robot_marker"] = Marker(**_checked("robot_marker", Marker, values["robot_marker"]))
        arena = Arena(**values)
        if len(markers) < FEWEST:
            raise ArenaError(
                f"arena: {len(markers)} floor markers: at least {FEWEST} are needed, best one in "
                "each corner, for the camera's pose"
            )
        return arena


_CHECKS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "int": (int, "a whole number"),
    "float": ((int, float), "a finite number"),
    "str": (str, "a name"),
}


def _checked(where: str, kind: type, data: Any) -> dict[str, Any]:
    """`data` as arguments of the dataclass `kind`: no key unknown or missing, numbers finite."""
    if not isinstance(data, Mapping):
        raise ArenaError(f"{where}: must be a mapping, not {reprlib.repr(data)}")
    allowed = {field.name: field for field in fields(kind)}
    unknown = [str(key) for key in data if key not in allowed]
    if unknown:
        raise ArenaError(
            f"{where}: unknown key {', '.join(unknown)}; allowed: {', '.join(allowed)}"
        )
    optional = {"dictionary", "yaw"}
    missing = [name for name in allowed if name not in data and name not in optional]
    if missing:
        raise ArenaError(f"{where}: missing {', '.join(missing)}")
    for name, value in data.items():
        check = _CHECKS.get(str(allowed[name].type))
        if check is None:
            continue
        types, wanted = check
        good = isinstance(value, types) and not isinstance(value, bool)
        if not good or (types is not str and not abs(value) < HUGE):  # NaN is not
            raise ArenaError(f"{where}: {name} must be {wanted}, not {value!r}")
    return dict(data)


def load_arena(robot: Robot, path: str | Path = "") -> Arena:
    """Return the arena of a file, or the package's, with the robot's marker; raises ArenaError."""
    arena = Arena.load(path or resource_path("config/arena.yaml"))
    return replace(arena, robot_marker=Marker(robot.marker.id, robot.marker.size))
