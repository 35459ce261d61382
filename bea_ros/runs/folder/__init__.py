# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a run on disk: its head, logs and lock, and their consistency."""
