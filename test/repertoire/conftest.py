# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Searches of tests are short: to compile ribs' sums for them took most of their time."""

import os

os.environ["NUMBA_DISABLE_JIT"] = "1"  # also of the processes that they start
