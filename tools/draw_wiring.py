#!/usr/bin/env python3
# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draw docs/images/wiring.svg: spider9's servos on a Raspberry Pi, as config/servos has them.

python tools/draw_wiring.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import yaml

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

ROOT = Path(__file__).resolve().parent.parent
# Of the header's 40 pins: those that this wiring uses, by BCM number, and a ground.
HEADER = {17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 10: 19, 9: 21, 25: 22}
GROUND = 39
SIGNAL, PLUS, MINUS, INK = "#2a7ab0", "#b5402f", "#30363d", "#1d2329"


def box(axes: Axes, x: float, y: float, width: float, height: float, text: str) -> None:
    patch = FancyBboxPatch(
        (x, y), width, height, boxstyle="round,pad=0.02", fc="#f4f5f7", ec=INK, lw=1.2
    )
    axes.add_patch(patch)
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=9, color=INK)


def main() -> None:
    plt.rcParams.update({"svg.hashsalt": "bea_ros", "svg.fonttype": "none"})
    servos = yaml.safe_load((ROOT / "config/servos/spider9.yaml").read_text())["servos"]
    figure, axes = plt.subplots(figsize=(8.6, 5.2))
    axes.set_xlim(0, 8.6)
    axes.set_ylim(-0.1, 5.4)
    axes.axis("off")
    box(axes, 0.2, 1.2, 1.7, 3.8, "Raspberry Pi\n(GPIO header)")
    box(axes, 2.1, 0.1, 1.6, 0.6, "5-6 V supply\n1 A a servo")
    box(axes, 4.3, 0.1, 0.9, 0.6, "switch")
    right = 6.4
    for row, (joint, servo) in enumerate(servos.items()):
        y = 4.9 - row * 0.5
        box(axes, right, y - 0.16, 1.9, 0.32, f"servo {joint}")
        axes.plot([1.95, right - 0.03], [y + 0.07, y + 0.07], color=SIGNAL, lw=1.5)
        pin = servo["pin"]
        axes.text(2.05, y + 0.11, f"GPIO {pin}, pin {HEADER[pin]}", fontsize=8, color=SIGNAL)
        axes.plot([6.0, right - 0.03], [y, y], color=PLUS, lw=1.5)
        axes.plot([5.7, right - 0.03], [y - 0.08, y - 0.08], color=MINUS, lw=1.5)
    axes.plot([3.75, 4.25], [0.5, 0.5], color=PLUS, lw=1.8)
    axes.plot([5.25, 6.0, 6.0], [0.5, 0.5, 4.9], color=PLUS, lw=1.8)
    axes.plot([2.9, 2.9, 5.7, 5.7], [0.75, 0.95, 0.95, 4.82], color=MINUS, lw=1.8)
    axes.plot([1.0, 1.0, 2.9], [1.15, 0.95, 0.95], color=MINUS, lw=1.8)
    axes.text(1.08, 1.0, f"ground, pin {GROUND}", fontsize=8, color=MINUS)
    keys = ((SIGNAL, "signal"), (PLUS, "plus"), (MINUS, "ground"))
    for i, (colour, name) in enumerate(keys):
        axes.plot([6.6, 6.9], [0.75 - 0.25 * i] * 2, color=colour, lw=2)
        axes.text(7.0, 0.75 - 0.25 * i, name, fontsize=8, va="center", color=INK)
    output = ROOT / "docs/images/wiring.svg"
    figure.savefig(output, bbox_inches="tight", metadata={"Date": None})
    print(f"wrote {output}")


if __name__ == "__main__":
    main()
