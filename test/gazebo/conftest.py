# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The tests of the bridge and of learning in Gazebo need ROS 2; the others do not."""

from importlib.util import find_spec

collect_ignore = []
if not find_spec("rclpy"):
    print("skipped: test/gazebo/test_bridge.py and test_live.py (rclpy is not installed)")
    collect_ignore = ["test_bridge.py", "test_live.py"]
