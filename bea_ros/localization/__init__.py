# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ArUco detection, arena calibration, pose tracking: images in, poses out, no ROS."""
