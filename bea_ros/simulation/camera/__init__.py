# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulated overhead camera: optics, floor, boxes, light; no graphics card."""
