# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories and the fitness functions of the tasks: pure functions, no ROS."""
