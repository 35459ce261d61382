# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The error that all who touch the hardware raise."""


class HardwareError(RuntimeError):
    """The hardware, or a library for it, is not there; the message says how to get it."""
