# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The node `ros2_control_driver`, for robots whose joints a ros2_control controller moves."""
