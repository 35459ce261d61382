# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A page that shows a run in a browser while it learns, and takes the operator's requests."""
