# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that read the folders of runs."""
