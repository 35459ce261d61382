# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Faults are done to nodes, which need ROS 2 and the compiled interfaces."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

collect_ignore_glob = []
if not (find_spec("rclpy") and find_spec("bea_ros_interfaces")):
    print("skipped: test/faults/test_*nodes* (rclpy or bea_ros_interfaces is not installed)")
    collect_ignore_glob = ["test_fuzz_nodes.py", "test_faults.py", "test_security.py"]
