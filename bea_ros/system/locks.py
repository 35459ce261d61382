# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Locks of this machine, for all its users and whatever their temporary folders are.

A lock is a name in the kernel's table of sockets that are no files (unix(7), abstract): there is
nothing to lay a link over, to own or to leave behind, and it goes with the process that has it.
"""

from __future__ import annotations

import errno
import hashlib
import socket

LONGEST = 80  # characters; the kernel takes 107


def machine_lock(name: str) -> socket.socket | None:
    """The lock of this name, held until it is closed; None if another process has it."""
    if len(name) > LONGEST:
        name = hashlib.sha256(name.encode()).hexdigest()
    lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        lock.bind(f"\0bea_ros/{name}")
    except OSError as error:
        lock.close()
        if error.errno != errno.EADDRINUSE:
            raise
        return None
    return lock
