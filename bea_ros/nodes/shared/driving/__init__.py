# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What drives a real robot's joints, whatever moves them, and everything that stops them."""
