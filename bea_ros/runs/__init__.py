# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a run leaves on disk, and what goes on from there. No ROS."""
