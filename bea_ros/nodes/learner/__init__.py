# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The node `learner`: BEA asks, the robot tries, the fitness is told."""
