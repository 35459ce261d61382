# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The file of a repertoire: candidates, their paths, and the robot that they are for."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.repertoire.plan import SAMPLING, STEPS
from bea_ros.robots import Robot, robot_name
from bea_ros.simulation.physics import Physics
from bea_ros.system.files import read_whole, replace_file
from bea_ros.system.resources import resource_path

Array = NDArray[np.float64]

FILE = "repertoire.npz"
FORMAT = 1
LARGEST, LARGEST_UNPACKED = 64 * 2**20, 2**29  # bytes; the package's have less than 1 MB
UNITS = 1e-3  # m or rad, resolution of the stored steps between poses
LOST = np.iinfo(np.int16).min  # a step after a fall
DAMAGED = (
    EOFError, ValueError, KeyError, TypeError, RuntimeError, MemoryError, zlib.error,
    zipfile.BadZipFile,
)  # fmt: skip


class RepertoireError(ValueError):
    """A repertoire is missing, damaged, or of another robot; the message is one line."""


@dataclass(frozen=True, eq=False)
class Repertoire:
    """A repertoire: candidates and their paths.

    Attributes:
        robot: name of the robot.
        fingerprint: checksum of its joints and shape; see `fingerprint`.
        generation: generation of its modules.
        weight_range: range of the CPG's weights (1/s).
        names: names of the weights.
        candidates: candidates in [0, 1]^d, shape (n, d).
        paths: poses (x, y in m, yaw in rad) every SAMPLING s from the start on, shape
            (n, draws, poses, 3); NaN after a fall.
        physics: the draws of physics.
        made: command, versions and commit that made it.
    """

    robot: str
    fingerprint: str
    generation: str
    weight_range: float
    names: tuple[str, ...]
    candidates: Array
    paths: Array
    physics: tuple[Physics, ...]
    made: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def duration(self) -> float:
        """Duration of its paths (s)."""
        return (self.paths.shape[2] - 1) * SAMPLING

    def check(self, robot: Robot, generation: str, weight_range: float) -> None:
        """Raise RepertoireError unless it fits this robot, generation and range of weights."""
        asked = {"generation": generation, "weight_range": weight_range}
        for name, value in asked.items():
            if getattr(self, name) != value:
                words = name.replace("_", " ")
                raise RepertoireError(
                    f"the repertoire of {self.robot} is of {words} {getattr(self, name)}, "
                    f"not {value}: explore with that"
                )
        if self.names != tuple(robot.parameter_names) or self.fingerprint != fingerprint(robot):
            raise RepertoireError(
                f"the repertoire is of another robot, {self.robot}, than this {robot.name}: "
                "their joints or shapes differ"
            )

    def save(self, path: Path) -> None:
        """Write the file; raises OSError."""
        steps = np.diff(np.round(self.paths / UNITS), axis=2)
        whole = np.where(np.isfinite(steps), steps, LOST).astype(np.int16)
        bytes_of = np.moveaxis(whole, 0, -1)  # similar numbers side by side compress better
        as_they_are = ("robot", "fingerprint", "generation", "weight_range", "names")
        head = {
            "format": FORMAT,
            **{name: getattr(self, name) for name in as_they_are},
            "physics": [vars(physics) for physics in self.physics],
            "made": dict(self.made),
        }
        file = io.BytesIO()
        np.savez_compressed(
            file,
            head=np.frombuffer(json.dumps(head).encode(), np.uint8),
            candidates=np.round(self.candidates * STEPS).astype(np.uint16),
            low=(bytes_of & 0xFF).astype(np.uint8),
            high=(bytes_of >> 8).astype(np.int8),
        )
        replace_file(path, file.getvalue())


USUAL_AXIS = (0.0, 1.0, 0.0)  # of a hinge; left out, as the first fingerprints had no axes


def fingerprint(robot: Robot) -> str:
    """Return a checksum of a robot's joints and collision shapes.

    Masses do not count, as they are drawn at random anyway.
    """
    tree = robot.tree
    joints = [
        (j.name, j.kind, j.parent, j.child, _rounded(j.origin), _rounded([*j.limits.values()]))
        + ((_rounded(j.axis),) if j.limits and j.axis != USUAL_AXIS else ())
        for j in sorted(tree.joints, key=lambda joint: joint.name)
    ]
    boxes = [
        (link, _rounded(box.size), _rounded(box.pose))
        for link in sorted(tree.collisions)
        for box in tree.collisions[link]
    ]
    return hashlib.sha256(json.dumps([joints, boxes]).encode()).hexdigest()[:16]


def _rounded(values: Any) -> list[float]:
    return (np.round(np.array(values, dtype=float), 6) + 0.0).ravel().tolist()


def path_of(prior: str, robot: str, generation: str, typed: str = "") -> Path:
    """Return the file of `default`, a folder of `bea explore` or a path; raises RepertoireError.

    `robot` is the robot's own name, and `typed` its name or path as a command takes it.
    """
    if prior != "default":
        path = Path(prior).expanduser().absolute()
        return path / FILE if path.is_dir() else path
    path = resource_path(f"config/repertoires/{robot}.npz")
    if generation != "small" or not path.exists():
        raise RepertoireError(
            f"no repertoire of {robot} with {generation} modules comes with the package: make one "
            f"by bea explore --robot {quote(typed or robot)} --generation {generation}, and give "
            f"--prior {quote(f'repertoires/{robot_name(typed or robot)}')}"
        )
    return path


def load(path: Path) -> Repertoire:
    """Read a file; raises RepertoireError."""
    try:
        content = io.BytesIO(read_whole(path, LARGEST))
        if sum(part.file_size for part in zipfile.ZipFile(content).infolist()) > LARGEST_UNPACKED:
            raise ValueError("unpacked it is too large")
        with np.load(content, allow_pickle=False) as stored:
            head = json.loads(stored["head"].tobytes())
            if head["format"] != FORMAT:
                raise RepertoireError(
                    f"{path} is of format {head['format']}, this version reads {FORMAT}: use "
                    "the bea_ros that wrote it"
                )
            return _of(head, stored["candidates"], stored["low"], stored["high"])
    except FileNotFoundError:
        raise RepertoireError(
            f"{path} is not a repertoire: bea explore makes one, or finishes one"
        ) from None
    except OSError as error:
        raise RepertoireError(f"{path} is not a repertoire: {error.strerror}") from error
    except RepertoireError:
        raise
    except DAMAGED as error:
        reason = " ".join(str(error).split())
        raise RepertoireError(f"{path} is not a repertoire, or damaged: {reason}") from error


def _of(head: Mapping[str, Any], candidates: Any, low: Any, high: Any) -> Repertoire:
    """The repertoire of what a file holds; raises ValueError, KeyError or TypeError."""
    names = tuple(map(str, head["names"]))
    physics = tuple(Physics(**draw) for draw in head["physics"])
    steps = (high.astype(np.int16) << 8) | low
    draws, _, three, n = steps.shape
    if candidates.shape != (n, len(names)) or draws != len(physics) or three != 3 or not n:
        raise ValueError("its parts do not belong together")
    moved = np.where(steps == LOST, np.nan, steps * UNITS)
    paths = np.concatenate([np.zeros((draws, 1, 3, n)), np.cumsum(moved, axis=1)], axis=1)
    return Repertoire(
        str(head["robot"]),
        str(head["fingerprint"]),
        str(head["generation"]),
        float(head["weight_range"]),
        names,
        candidates / STEPS,
        np.moveaxis(paths, -1, 0),
        physics,
        {str(name): str(value) for name, value in head["made"].items()},
    )
