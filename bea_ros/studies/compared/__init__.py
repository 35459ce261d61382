# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Compares a user's own runs, grouped by the settings that differ."""
