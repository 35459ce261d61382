# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench bbob: ours and others on the 24 functions of COCO's BBOB suite."""
