# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Robots that learn to move by the Bayesian-Evolutionary Algorithm (BEA)."""
