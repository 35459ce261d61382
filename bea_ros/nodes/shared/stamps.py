# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ROS time stamps as integer nanoseconds, which are exact."""

from builtin_interfaces.msg import Duration, Time

from bea_ros.system.nanoseconds import SECOND

AHEAD = 0.2  # s that a stamp may be from the future: clocks that are set right differ by less


def to_nanoseconds(stamp: Time) -> int:
    """Return a stamp in ns."""
    return stamp.sec * SECOND + stamp.nanosec


def to_stamp(nanoseconds: int) -> Time:
    """Return nanoseconds as a stamp."""
    return Time(sec=nanoseconds // SECOND, nanosec=nanoseconds % SECOND)


def to_seconds(duration: Duration) -> float:
    """Return a duration message in s."""
    return float(duration.sec) + duration.nanosec / SECOND
