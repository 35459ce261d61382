# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Time in whole nanoseconds, which are exact, as ROS has it."""

SECOND = 10**9  # ns
