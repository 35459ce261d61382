# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions (xacro to joints and module grid) and their CPG networks."""
