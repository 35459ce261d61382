# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The error of all modules that access the hardware."""


class HardwareError(RuntimeError):
    """The hardware, or a library for it, is missing or fails; the message says what to do."""
