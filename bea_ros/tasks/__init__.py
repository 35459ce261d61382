# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories and the fitness functions of the tasks: pure functions, no ROS."""

from bea_ros.tasks.fitness import (
    TASKS,
    UNITS,
    Fitness,
    Task,
    TaskError,
    check_duration,
    find_task,
    task,
    title_of,
    unit_of,
    worst_of,
)
from bea_ros.tasks.trajectory import Trajectory

__all__ = [
    "TASKS",
    "UNITS",
    "Fitness",
    "Task",
    "TaskError",
    "Trajectory",
    "check_duration",
    "find_task",
    "task",
    "title_of",
    "unit_of",
    "worst_of",
]
