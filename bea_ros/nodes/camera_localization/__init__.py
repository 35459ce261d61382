# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The node `camera_localization`: where the robot is, and how well it did."""
