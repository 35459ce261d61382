# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Studies of optimizers and robots: plan, runs, statistics, tables, figures, page."""
