# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The node `servo_driver`: the real robot's servos, and everything that stops them."""
