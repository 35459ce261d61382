# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A recording again, changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

from bea_ros.bags.topics import PARAMETER_EVENTS


def copy(
    run: Path,
    target: Path,
    change: Callable[[str, Any], Any],
    prefixes: tuple[str, ...] = ("",),
    storage: StoragePlugin = StoragePlugin.MCAP,
    compressed: bool = False,
) -> Path:
    """The recording again, each message as `change(topic, message)` makes it; None drops it."""
    writer = Writer(target, version=9, storage_plugin=storage)
    if compressed:
        writer.set_compression(CompressionMode.FILE, CompressionFormat.ZSTD)
    with AnyReader([run / "bag_1"]) as reader, writer:
        new = {
            (prefix, c.topic): writer.add_connection(
                c.topic
                if c.topic == PARAMETER_EVENTS and prefix == prefixes[0]
                else prefix + c.topic,
                c.msgtype,
                typestore=reader.typestore,
            )
            for prefix in prefixes
            for c in reader.connections
        }
        for connection, at, data in reader.messages():
            message = change(connection.topic, reader.deserialize(data, connection.msgtype))
            if message is not None:
                again = reader.typestore.serialize_cdr(message, connection.msgtype)
                for prefix in prefixes:
                    writer.write(new[prefix, connection.topic], at, again)
    return target


def same(topic: str, message: Any) -> Any:
    return message
