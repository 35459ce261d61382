# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a rosbag2 recording (MCAP) without rosbag2."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.interfaces import (
    Connection,
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from bea_ros.bags.topics import COMPRESSED_IMAGE, PARAMETER_EVENT, PARAMETER_TYPES
from bea_ros.system.nanoseconds import SECOND

FOREVER = QosTime(2147483647, 4294967295)


def next_bag(run: Path) -> Path:
    """Path of a run's next recording: bag_1, bag_2, ... in its folder."""
    number = 1
    while (run / f"bag_{number}").exists():
        number += 1
    return run / f"bag_{number}"


class BagWriter:
    """A recording open for writing.

    `definitions` are the texts of message types that are not part of ROS, by name. Creates the
    folder `path`; raises OSError if that fails.
    """

    def __init__(self, path: Path, definitions: Mapping[str, str]) -> None:
        self.path = path
        self._types = get_typestore(Stores.LATEST)
        for name, text in definitions.items():
            self._types.register(get_types_from_msg(text, name))
        self._writer = Writer(path, version=9, storage_plugin=StoragePlugin.MCAP)
        self._writer.open()
        self._topics: dict[str, Connection] = {}
        self._last = 0

    def add_topic(self, topic: str, message_type: str, latched: bool = False) -> None:
        """Add a topic; a player offers `latched` messages to late subscribers."""
        durability = QosDurability.TRANSIENT_LOCAL if latched else QosDurability.VOLATILE
        qos = Qos(
            history=QosHistory.KEEP_LAST,
            depth=1 if latched else 10,
            reliability=QosReliability.RELIABLE,
            durability=durability,
            deadline=FOREVER,
            lifespan=FOREVER,
            liveliness=QosLiveliness.AUTOMATIC,
            liveliness_lease_duration=FOREVER,
            avoid_ros_namespace_conventions=False,
        )
        self._topics[topic] = self._writer.add_connection(
            topic, message_type, typestore=self._types, offered_qos_profiles=[qos]
        )

    def write(self, topic: str, at: int, message: bytes | memoryview) -> None:
        """Add a serialized (CDR) message received at time `at` (ns).

        Simulated time may stand still. Times in the bag still increase, so messages keep their
        order.
        """
        self._last = max(at, self._last + 1)
        self._writer.write(self._topics[topic], self._last, message)

    def write_parameters(self, topic: str, at: int, node: str, values: Mapping[str, Any]) -> None:
        """Add a node's parameters as the ParameterEvent that the node would publish.

        rclpy's own serialization adds bytes at the end that readers of bags refuse.
        """
        kind = self._types.types
        parameters = [
            kind["rcl_interfaces/msg/Parameter"](name=name, value=self._value(value))
            for name, value in values.items()
        ]
        event = kind[PARAMETER_EVENT](
            stamp=self._stamp(at),
            node=node,
            new_parameters=parameters,
            changed_parameters=[],
            deleted_parameters=[],
        )
        self.write(topic, at, self._types.serialize_cdr(event, PARAMETER_EVENT))

    def write_jpeg(
        self, topic: str, at: int, taken: int, frame: str, data: NDArray[np.uint8]
    ) -> None:
        """Add a JPEG image, `data` (n,), received at `at` and `taken` (ns) in `frame`."""
        kind = self._types.types
        header = kind["std_msgs/msg/Header"](stamp=self._stamp(taken), frame_id=frame)
        image = kind[COMPRESSED_IMAGE](header=header, format="jpeg", data=data)
        self.write(topic, at, self._types.serialize_cdr(image, COMPRESSED_IMAGE))

    def _stamp(self, at: int) -> Any:
        seconds, rest = divmod(at, SECOND)
        return self._types.types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=rest)

    def _value(self, value: Any) -> Any:
        fields: dict[str, Any] = {
            "bool_value": False,
            "integer_value": 0,
            "double_value": 0.0,
            "string_value": "",
            "byte_array_value": np.empty(0, np.uint8),
            "bool_array_value": np.empty(0, np.bool_),
            "integer_array_value": np.empty(0, np.int64),
            "double_array_value": np.empty(0, np.float64),
            "string_array_value": [],
        }
        number, name = PARAMETER_TYPES[type(value)]
        return self._types.types["rcl_interfaces/msg/ParameterValue"](
            type=number, **{**fields, name: value}
        )

    def flush(self) -> None:
        """Flush to the kernel, which keeps the data if this process is killed."""
        storage: Any = self._writer.storage
        if storage.chunk.msgs:
            storage.close_chunk()
        storage.bio.flush()

    def close(self) -> None:
        """Finish the recording."""
        self._writer.close()
