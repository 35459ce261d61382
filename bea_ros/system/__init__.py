# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Between this package and the operating system: files, processes, the package's own data."""
