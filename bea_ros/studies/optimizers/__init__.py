# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench optimizers: ours side by side with what people use."""

from pathlib import Path

FOLDER = Path("bench/optimizers")
