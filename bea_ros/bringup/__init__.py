# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The graph: which nodes run, with which parameters, as plain data. It is started by the
`supervisor` for `bea`, and by `launching` for the launch files.
"""
