# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Clients of a running graph, for commands. They are not part of the graph."""
