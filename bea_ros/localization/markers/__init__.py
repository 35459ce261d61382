# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ArUco markers in an image, and their corners to a few hundredths of a pixel."""
