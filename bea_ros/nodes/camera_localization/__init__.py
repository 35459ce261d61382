# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The node `camera_localization`: the robot's poses and its fitness."""
