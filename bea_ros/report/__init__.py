# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pages, pictures and videos of runs."""
