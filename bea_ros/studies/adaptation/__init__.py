# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How soon a robot walks in a world that its repertoire does not know, or with a broken joint."""

from pathlib import Path

FOLDER = Path("bench/adaptation")
