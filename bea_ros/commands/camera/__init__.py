# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The commands about the camera above the arena: print, film, calibrate, check, localize."""
