# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot as its clients see it: who is there, how and where it is, what it measured."""
