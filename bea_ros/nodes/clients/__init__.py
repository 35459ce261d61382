# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What commands do with a running graph: no nodes of it."""
