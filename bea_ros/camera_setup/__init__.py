# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Setting up a real camera over a real arena: what to print, the lens, and whether all is well."""
