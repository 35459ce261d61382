# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The MuJoCo world, its overhead camera, and in-process evaluations."""
