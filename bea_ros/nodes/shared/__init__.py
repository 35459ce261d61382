# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What several nodes need: parameters, QoS, stamps, timers, messages, the robot as a client."""
