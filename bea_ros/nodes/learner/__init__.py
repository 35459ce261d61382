# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The node `learner`: it evaluates the optimizer's candidates on the robot."""
