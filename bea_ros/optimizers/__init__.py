# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""BO, EA and BEA behind ask() and tell(): numpy arrays in [0, 1]^d, no ROS."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bea_ros.optimizers.optimizer import Optimizer, Record
    from bea_ros.optimizers.profiles import OPTIMIZERS, PROFILES, create

__all__ = ["OPTIMIZERS", "PROFILES", "Optimizer", "Record", "create"]
_WHERE = {"Optimizer": "optimizer", "Record": "optimizer"}


def __getattr__(name: str) -> Any:
    """Import on first use: all algorithms take half a second, and few nodes need them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE.get(name, 'profiles')}"), name)
