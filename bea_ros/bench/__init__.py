# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What measures this machine, and single questions that were settled by measuring."""
