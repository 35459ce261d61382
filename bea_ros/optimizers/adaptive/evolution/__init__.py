# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the evolutionary algorithm breeds: mutation, covariance adaptation, mutants on a model."""
