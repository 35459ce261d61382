# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The graph of a learning run in one process: nobody waits for a message, and the log is the same.

Each part reads the parameters of the node in whose place it is.
"""
