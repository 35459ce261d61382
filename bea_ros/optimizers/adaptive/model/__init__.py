# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What Bayesian optimisation believes of the fitness, and where it looks: a Gaussian process."""
