# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Code that several nodes share: parameters, QoS, stamps, timers, messages, robot client."""
