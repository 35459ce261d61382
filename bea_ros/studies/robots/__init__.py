# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's nine cases: three robots and three tasks, learned by several algorithms."""

from pathlib import Path

EVALUATION_TIMES = (0.1, 1.0)  # s; the paper's simulated gait took about 1 s
FOLDER = Path("bench/robots")
