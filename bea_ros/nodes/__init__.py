# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 nodes: parameters, topics and services around the other rooms."""
