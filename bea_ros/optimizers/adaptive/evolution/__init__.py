# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the EA breeds: mutation, covariance adaptation, and mutants evolved on a model."""
