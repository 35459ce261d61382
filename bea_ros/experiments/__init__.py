# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The studies of the paper and the benchmarks."""
