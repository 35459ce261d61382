# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The parts that all drivers of real joints share, and everything that stops the joints."""
