# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Real servos, no ROS in here: from joint angles to pulses, on GPIO pins or a PCA9685 board."""
