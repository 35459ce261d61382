# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A learning run in one process, without messages. The log is the same as that of the graph.

Each part replaces a node and has the parameters of that node.
"""
