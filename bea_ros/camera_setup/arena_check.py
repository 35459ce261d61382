# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Checks camera and arena before a run: visible markers, fit, accuracy, and advice."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from bea_ros.camera_setup.accuracy import Accuracy, AccuracyMap, noise_of
from bea_ros.images.arrays import Image
from bea_ros.images.pictures import grey_of
from bea_ros.localization.arena import Arena, FloorMarker
from bea_ros.localization.calibration import Calibration
from bea_ros.localization.camera_info import CameraInfoError
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.localization.observation import Observation
from bea_ros.localization.pose import Prior
from bea_ros.localization.tracker import Tracker
from bea_ros.robots import Robot
from bea_ros.system.files import replace_file

GOOD_FIT, GOOD_PLACES = 0.5, 0.003  # rms misfit of the corners (pixels), or (m) if that is more
GOOD_ERROR = 0.005  # m
GOOD_VIEW = 0.98  # share of the arena
TRIES = 10  # images
SEEN, MISSED = "#1b7837", "#b2182b"


@dataclass(frozen=True, eq=False)
class ArenaCheck:
    """Result of the check of one image.

    `calibration` has the camera's pose. If it is None, so is `accuracy`, and `reason` says why.
    """

    arena: Arena
    seen: tuple[int, ...]
    calibration: Calibration | None
    accuracy: AccuracyMap | None
    robot: Observation | None
    reason: str
    twins: bool = False  # one marker is in the image twice; see `reason`

    @property
    def ready(self) -> bool:
        """Whether a run can start without changes."""
        return self.calibration is not None and not self.advice()

    def report(self) -> list[str]:
        """Lines of text on the findings."""
        markers = self.arena.floor_markers
        missed = [m for m in markers if m.id not in self.seen]
        lines = [
            f"corners: {len(self.seen)} of {len(markers)} seen"
            + "".join(f"; not {m.id} at x {m.x:+.2f} y {m.y:+.2f}" for m in missed)
        ]
        c = self.calibration
        if c is None:
            return [*lines, f"camera: {self.reason}"]
        fits = ", ".join(f"{i}: {e:.2f}" for i, e in zip(c.markers, c.errors, strict=True))
        lines += [
            f"camera: {c.height:.3f} m up, above x {c.pose[0, 3]:+.3f} y {c.pose[1, 3]:+.3f} m, "
            f"{math.degrees(c.tilt):.1f} degrees from straight down",
            f"residual: {c.error:.2f} pixels rms (by corner: {fits})",
        ]
        if self.accuracy is not None and self.accuracy.in_view:
            lines.append(
                f"expected error: {1000 * self.accuracy.mean:.1f} mm on average, at most "
                f"{1000 * self.accuracy.worst:.1f} mm; {self.accuracy.in_view:.0%} of the arena "
                "is in view"
            )
        if self.robot is None:
            lines.append(f"robot: {self.reason}")
        else:
            r = self.robot
            lines.append(
                f"robot: x {r.x:+.3f} y {r.y:+.3f} m, yaw {math.degrees(r.yaw):+.1f}, "
                f"tilt {math.degrees(r.tilt):.1f} degrees"
            )
        return lines

    def advice(self) -> list[str]:
        """Advice, the most urgent first; empty if all is well."""
        if self.twins:
            return [f"{self.reason}: take all but one away; other robots have other ids"]
        if self.calibration is None:
            if len(self.seen) < 3:
                return [
                    "show the camera three corners at least: are they in view, flat, evenly lit, "
                    "in focus, not mirrored, with white around them, and those of bea markers?"
                ]
            return ["measure where the corners lie and write it into the arena's YAML; or "
                    "calibrate the lens: bea calibrate-camera"]  # fmt: skip
        advice = []
        c, a = self.calibration, self.accuracy
        if len(self.seen) < len(self.arena.floor_markers):
            advice.append("show the camera all corners: one that is hidden later costs the rest")
        if c.error > max(GOOD_FIT, GOOD_PLACES * c.scale):
            advice.append("measure again where the corners lie, or calibrate the lens again")
        if a is None or a.in_view < GOOD_VIEW:
            advice.append("hang the camera higher, or over the middle: it does not see all")
        if a is not None and a.in_view and a.mean > GOOD_ERROR:
            advice.append("use a larger marker on the robot, or larger images")
        if self.robot is None:
            advice.append(
                "put the robot on its feet into the arena, with its marker of bea markers, "
                "printed at 100 % and uncovered"
            )
        return advice


def check_arena(
    images: Iterable[Image], arena: Arena, intrinsics: Intrinsics, robot: Robot
) -> ArenaCheck:
    """Check the first image that gives the camera's pose, or else the last one of TRIES.

    Images are grey (height, width) or RGB. Raises CameraInfoError for one of another size than the
    intrinsics'.
    """
    size = intrinsics.width, intrinsics.height
    prior = Prior(robot.standing_height)
    check = ArenaCheck(arena, (), None, None, None, "no image")
    for _, image in zip(range(TRIES), images, strict=False):
        if image.shape[1::-1] != size:
            raise CameraInfoError(
                f"the image is {image.shape[1]}x{image.shape[0]}, but the calibration is for "
                f"{size[0]}x{size[1]}: take images of that size, or calibrate with this one: "
                "bea calibrate-camera"
            )
        tracker = Tracker.of(robot, arena, intrinsics)
        seen = tracker.update(image, 0.0)
        found = tracker.calibration
        accuracy = None
        if found is not None:
            noise = noise_of(grey_of(image), arena, intrinsics, tracker.floor_seen, found)
            camera = Accuracy(arena, intrinsics, found, robot.marker.pose, prior, noise)
            accuracy = camera.over_arena()
        ids = tuple(sorted(tracker.floor_seen))
        check = ArenaCheck(arena, ids, found, accuracy, seen, tracker.reason, tracker.twins)
        if found is not None:
            break
    return check


def draw_check(path: Path, check: ArenaCheck) -> None:
    """Write a picture of the arena from above, with the expected error (mm)."""
    arena, a = check.arena, check.accuracy
    aspect = arena.depth / arena.width
    figure = Figure(figsize=(8.4, 1.6 + 6.6 * aspect), constrained_layout=True)
    axes = figure.add_subplot()
    if a is not None and a.in_view:
        picture = axes.contourf(a.x, a.y, 1000 * a.error, 24, cmap="viridis")
        lines = axes.contour(a.x, a.y, 1000 * a.error, colors="white", linewidths=0.6)
        axes.clabel(lines, fmt="%g mm", fontsize=8)
        label = "expected error, mm (rms)"
        figure.colorbar(picture, ax=axes, label=label, shrink=0.8, ticks=lines.levels)
    corner = (-arena.width / 2, -arena.depth / 2)
    border = Rectangle(corner, arena.width, arena.depth, fill=False, color="0.25")
    axes.add_patch(border)
    for marker in arena.floor_markers:
        _draw_marker(axes, marker, marker.id in check.seen)
    if check.calibration is not None:
        x, y = check.calibration.pose[:2, 3]
        axes.plot(x, y, "+", color="white", markersize=12)
        axes.annotate("camera", (x, y), (6, 6), textcoords="offset points", color="white")
    if check.robot is not None:
        r = check.robot
        axes.plot(r.x, r.y, "o", color="white", markersize=6)
        axes.annotate("robot", (r.x, r.y), (6, -14), textcoords="offset points", color="white")
    axes.set(xlabel="x, m", ylabel="y, m", aspect="equal", facecolor="0.85")
    axes.set(xlim=(corner[0] - 0.3, -corner[0] + 0.3), ylim=(corner[1] - 0.3, -corner[1] + 0.3))
    title = [textwrap.fill(line, 130) for line in check.report()[:4]]
    axes.set_title("\n".join(title), fontsize=8, loc="left")
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=120, format=path.suffix[1:] or "png")
    replace_file(path, drawn.getvalue())


def _draw_marker(axes: Axes, marker: FloorMarker, seen: bool) -> None:
    colour, place = SEEN if seen else MISSED, (marker.x, marker.y)
    axes.fill(*marker.corners_in_map()[:, :2].T, color=colour, zorder=4)  # over lines' labels
    axes.annotate(
        f"{marker.id}", place, color="white", ha="center", va="center", fontsize=8, zorder=5
    )
    if not seen:
        side, aside = ("left", 14) if marker.x < 0 else ("right", -14)
        axes.annotate(
            "not seen", place, (aside, 0), textcoords="offset points", color=colour, ha=side,
            va="center", fontsize=9,
        )  # fmt: skip
