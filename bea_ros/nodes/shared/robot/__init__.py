# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The client's side of a robot: its nodes, state, position and measurements."""
