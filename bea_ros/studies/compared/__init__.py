# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs of one's own side by side, in groups by whatever setting differs."""
