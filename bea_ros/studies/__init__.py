# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's studies: plan, runs, statistics, tables, figures, page."""
