# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BO, EA and BEA behind ask() and tell(): numpy arrays in [0, 1]^d, no ROS."""
