# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of `bea`, a module each, with `add(commands)` to describe it to the parser."""

from bea_ros.commands import (
    bench,
    calibrate_camera,
    check_arena,
    doctor,
    gazebo,
    learn,
    localize,
    markers,
    operator,
    replay,
    report,
    robots,
    servo,
    validate,
    watch,
)

COMMANDS = (
    learn,
    operator,
    replay,
    validate,
    watch,
    report,
    bench,
    doctor,
    robots,
    markers,
    calibrate_camera,
    check_arena,
    servo,
    localize,
    gazebo,
)
