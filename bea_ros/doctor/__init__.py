# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a machine or a robot, and how to mend it."""
