# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of runs (rosbag2): what goes into one, and what comes out of it without ROS."""
