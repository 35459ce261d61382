# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the nodes need ROS 2 and the compiled interfaces."""

from importlib.util import find_spec

collect_ignore_glob = []
if not (find_spec("rclpy") and find_spec("bea_ros_interfaces")):
    print("skipped: test/nodes (rclpy or bea_ros_interfaces is not installed)")
    collect_ignore_glob = ["test_*.py"]
