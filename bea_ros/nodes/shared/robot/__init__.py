# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot's side as those see it who wait for it: who is there, and how it is."""
