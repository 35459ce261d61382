# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The node `simulator`: the robot and the camera above it, by MuJoCo."""
