# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The node `ros2_control_driver`: a robot whose joints a controller of ros2_control moves."""
