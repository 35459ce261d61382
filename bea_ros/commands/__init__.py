# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of `bea`, a module each, with `add(commands)` to describe it to the parser."""

from bea_ros.commands import (
    adapt,
    bench,
    doctor,
    explore,
    gazebo,
    learn,
    operator,
    repertoire,
    replay,
    report,
    robots,
    servo,
    validate,
    watch,
)
from bea_ros.commands.camera import calibrate_camera, check_arena, film, localize, markers
from bea_ros.commands.runs import compare, export, list_runs

COMMANDS = (
    learn,
    adapt,
    operator,
    replay,
    validate,
    watch,
    report,
    list_runs,
    compare,
    export,
    explore,
    repertoire,
    bench,
    doctor,
    robots,
    markers,
    film,
    calibrate_camera,
    check_arena,
    servo,
    localize,
    gazebo,
)
