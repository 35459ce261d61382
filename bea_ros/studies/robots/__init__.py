# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's nine cases: three robots and three tasks, learned by several algorithms."""
