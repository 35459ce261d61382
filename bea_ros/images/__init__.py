# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures and videos, read and written: NumPy arrays in the program."""
