# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Data and script of a run's page: every evaluation, and the best gait."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bea_ros.report.pages import content
from bea_ros.report.paths import from_start
from bea_ros.report.shapes import outline, shapes
from bea_ros.robots import Robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.runs.efficiency import gains_per_second
from bea_ros.runs.folder.measurements import best_of, measurements
from bea_ros.tasks import Trajectory

SCRIPTS = ("uPlot.iife.min.js", "look.js", "charts.js", "run.js")
POINTS = 50_000  # of all paths together: a page of 1500 evaluations stays below 2 MB
LONGEST, SHORTEST = 120, 12  # points of a path
FILM, RATE = 10.0, 10.0  # s of the best gait that are shown, and pictures per second
HORIZON, STEP = 60.0, 0.02  # s over which the rhythm is computed, and time step
FINER = 16  # than the Fourier transform's own frequencies, for the same horizon

Records = Sequence[Mapping[str, Any]]


def data_of(
    records: Records,
    paths: Mapping[int, Trajectory],
    unit: str,
    controller: tuple[Robot, CpgNetwork] | None,
) -> dict[str, Any]:
    """The data that the page's script draws; the gait needs the robot and its network."""
    best = best_of(dict(r) for r in records) or records[0]
    names = list(best["parameters"])
    gains = gains_per_second(records)
    each = min(max(POINTS // max(len(paths), 1), SHORTEST), LONGEST)
    data = {
        "unit": unit,
        "names": names,
        "best": best["evaluation"],
        "rows": [_row(r, gain, names) for r, gain in zip(records, gains, strict=True)],
        "paths": {str(number): _thinned(path, each) for number, path in paths.items()},
        "outline": [],
    }
    if controller:
        robot, network = controller
        data["outline"] = outline(robot)
        data["gait"] = gait(robot, network)
        data["film"] = film(robot, network, paths.get(best["evaluation"]))
    return data


def _row(record: Mapping[str, Any], gain: float, names: Sequence[str]) -> list[Any]:
    values, predicted = measurements(record), record.get("predicted")
    return [
        record["evaluation"],
        record["stage"],
        _digits(record["fitness"], 6),
        _digits(record["time"]["overhead"], 4),
        _digits(record["time"]["evaluation"], 4),
        _digits(gain, 4),
        bool(record.get("given_up", False)),
        [_digits(record["parameters"].get(name, math.nan), 4) for name in names],
        [_digits(value, 6) for value in values] if len(values) > 1 else None,
        [_digits(value, 6) for value in record["doubted"]] if record.get("doubted") else None,
        [_digits(predicted.get(n, math.nan), 5) for n in ("mean", "deviation")]
        if predicted
        else None,
    ]


def _thinned(path: Trajectory, most: int) -> list[list[float]]:
    """At most `most` points x, y (m) relative to the robot's first pose, to the millimetre."""
    x, y, _ = from_start(path)
    kept = np.unique(np.linspace(0, len(x) - 1, min(most, len(x))).astype(int))
    return [[round(float(x[i]), 3), round(float(y[i]), 3)] for i in kept]


def _digits(value: float, digits: int) -> float | None:
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def gait(robot: Robot, network: CpgNetwork) -> dict[str, Any]:
    """The joints' angles (rad) over two periods of the network's strongest rhythm."""
    period = rhythm(network)
    times = np.linspace(0.0, 2 * period, 121)
    angles = network.output(times).T
    return {
        "period": _digits(period, 3),
        "joints": [joint.name for joint in robot.joints],
        "times": [_digits(t, 4) for t in times],
        "angles": [[round(float(a), 4) for a in one] for one in angles],
    }


def rhythm(network: CpgNetwork) -> float:
    """The period (s) of the joints' strongest oscillation; HORIZON if they do not oscillate."""
    times = np.arange(0.0, HORIZON, STEP)
    angles = network.output(times)
    smooth = (angles - angles.mean(axis=0)) * np.hanning(len(times))[:, None]
    spectrum = np.fft.rfft(smooth, n=FINER * len(times), axis=0)[FINER:]  # up to HORIZON
    power = (np.abs(spectrum) ** 2).sum(axis=1)
    strongest = FINER + int(np.argmax(power))
    return FINER * HORIZON / strongest if power.max() > 0 else HORIZON


def film(robot: Robot, network: CpgNetwork, path: Trajectory | None) -> dict[str, Any]:
    """The best gait from above: the measured path, and modules at the commanded joint angles."""
    length = FILM if path is None else min(FILM, float(path.t[-1]))
    times = np.arange(0.0, length, 1 / RATE)
    if path is None:
        places = np.zeros((len(times), 3))
    else:
        x, y, _ = from_start(path)
        turned = path.yaw - path.yaw[0]
        places = np.array([np.interp(times, path.t, one) for one in (x, y, turned)]).T
    return {
        "rate": RATE,
        "places": [[round(float(value), 3) for value in place] for place in places],
        "shapes": [shapes(robot, targets) for targets in network.output(times)],
    }


def script(data: Mapping[str, Any]) -> str:
    """The data and the script that draws it, as HTML that needs no other file."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":  # a name in the data must not end the script
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    scripts = "".join(f"<script>{content(name)}</script>" for name in SCRIPTS)
    style = f"<style>{content('uPlot.min.css')}</style>"
    return f'{style}<script type="application/json" id="data">{text}</script>{scripts}'
