# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Locks of this machine, shared by all users, whatever their temporary folders are.

A lock is the name of an abstract socket (unix(7)), which is not a file. So it has no owner, no
link can replace it, and it disappears when its process ends.
"""

from __future__ import annotations

import errno
import hashlib
import os
import socket

LONGEST = 80  # bytes; the kernel allows 107


def machine_lock(name: str) -> socket.socket | None:
    """The lock of this name, held until it is closed; None if another process holds it."""
    if len(os.fsencode(name)) > LONGEST:
        name = hashlib.sha256(os.fsencode(name)).hexdigest()
    lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        lock.bind(f"\0bea_ros/{name}")
    except OSError as error:
        lock.close()
        if error.errno != errno.EADDRINUSE:
            raise
        return None
    return lock
