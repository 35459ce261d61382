# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Detection of ArUco markers, and refinement of their corners to a few hundredths of a pixel."""
