# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a gait in MuJoCo's own viewer; needs a screen."""

from __future__ import annotations

import os
import time

from bea_ros.robots.cpg import CpgNetwork
from bea_ros.simulation.rollout import drive
from bea_ros.simulation.world import World

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")


def check_screen() -> None:
    """Raise ValueError if no window can be opened."""
    if not any(os.environ.get(name) for name in SCREENS):
        raise ValueError(
            "--live opens a window, and there is no screen here (neither DISPLAY nor "
            "WAYLAND_DISPLAY is set): without --live it makes a film"
        )


def show(world: World, network: CpgNetwork, seconds: float, speed: float) -> int:
    """Repeat `seconds` of a gait, `speed` times as fast as real time, until the window closes.

    Returns how often the gait was started.
    """
    from mujoco import viewer

    begun = 0
    with viewer.launch_passive(world.model, world.data) as window:
        while window.is_running():
            begun += 1
            start = time.monotonic()
            for _ in drive(world, network, seconds):
                window.sync()
                time.sleep(max(0.0, start + world.time / speed - time.monotonic()))
                if not window.is_running():
                    break
    return begun
