# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench functions: the paper's study of synthetic functions (section VI)."""

from pathlib import Path

EVALUATION_TIMES = (0.1, 1.0, 10.0)  # s (paper)
FOLDER = Path("bench/functions")
