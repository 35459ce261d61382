# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How fast a robot adapts to physics that its repertoire does not cover, or a broken joint."""

from pathlib import Path

FOLDER = Path("bench/adaptation")
