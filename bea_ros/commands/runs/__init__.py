# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Commands about the folders of runs."""
