# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Records a run as a rosbag2, from which each fitness can be recomputed."""

from __future__ import annotations

import contextlib
import importlib
import math
import sys
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CompressedImage, Image

from bea_ros.bags.topics import (
    ACTIVE,
    COMPRESSED,
    COMPRESSED_IMAGE,
    LATCHED_TOPICS,
    PARAMETER_EVENT,
    PARAMETER_EVENTS,
    PARAMETERS_OF,
    POSE,
    STATUS,
    TOPICS,
)
from bea_ros.bags.writing import BagWriter, next_bag
from bea_ros.images.jpeg import encode
from bea_ros.nodes.shared.image_messages import ImageError, image_of
from bea_ros.nodes.shared.node import Node, wall_timer
from bea_ros.nodes.shared.parameters import Parameter, ParameterError, declare
from bea_ros.nodes.shared.process import note_signals, run_node
from bea_ros.nodes.shared.qos import LATCHED, RESULTS, images
from bea_ros.nodes.shared.robot_parameters import IMAGE_PARAMETERS
from bea_ros.nodes.shared.stamps import to_nanoseconds

PARAMETERS = [
    Parameter("output", "", "folder of the run; the recording is bag_1 (2, 3, ...) in it"),
    Parameter("images", False, "record the camera's images as well, as JPEG"),
    *IMAGE_PARAMETERS,
]  # fmt: skip

DEPTH = 1000  # messages in the queue for writing
EARLY = 10_000  # messages that are kept until the learner begins, beside those told once
LAST_WORDS = 0.1  # s without a message, after which a shutdown ends the recording
PATIENCE = 1.0  # s, largest delay of a shutdown
AGAIN = 1.0  # s until a node is asked for its parameters again
PLAIN = {"double": "float64", "float": "float32", "boolean": "bool", "octet": "byte"}
QUALITY = 90  # of the JPEGs, per cent


class Recorder(Node):
    """Writes `bag_1` into a run's folder: the topics of bea_ros.bags.topics, and parameters.

    It subscribes to `pose` last, when everything else is ready. So the learner waits for that
    subscription.
    """

    def __init__(self) -> None:
        super().__init__("recorder")
        values = declare(self, PARAMETERS)
        if not values["output"]:
            raise ParameterError("parameter output is empty: name the folder of the run")
        self.run = Path(values["output"])
        self.bag: BagWriter | None = None
        self.early: deque[tuple[int, Callable[[BagWriter], None]]] = deque(maxlen=EARLY)
        self.told_once: list[tuple[int, Callable[[BagWriter], None]]] = []  # parameters, ...
        self.expected = {self.resolve_topic_name(topic) for topic in LATCHED_TOPICS}
        self.received = 0
        camera = images(values["reliable_images"])
        for topic in TOPICS:
            if topic != POSE:
                self.listen(
                    topic, camera if topic == "camera_info" else _quality(topic in LATCHED_TOPICS)
                )
        self.images = values["images"]
        if self.images and values["image_transport"] == "compressed":
            self.create_subscription(
                CompressedImage, COMPRESSED, self.on_compressed, camera, raw=True
            )
        elif self.images:
            self.create_subscription(Image, "image_raw", self.on_image, camera)
        self.clients_ = {name: AsyncParameterClient(self, name) for name in PARAMETERS_OF}
        self.asked: dict[str, float] = {}  # when, s
        self.known: set[str] = set()
        self.listening = False
        self.timer = wall_timer(self, 0.1, self.on_timer)

    def listen(self, topic: str, qos: QoSProfile) -> None:
        kind = message_class(TOPICS[topic])
        name = self.resolve_topic_name(topic)
        self.create_subscription(kind, topic, partial(self.on_message, name), qos, raw=True)

    def on_message(self, topic: str, message: bytes) -> None:
        at = self.get_clock().now().nanoseconds
        first = topic in self.expected
        self.expected.discard(topic)
        self.keep(lambda bag: bag.write(topic, at, message), once=first)
        if topic == self.resolve_topic_name(STATUS):
            if self.bag is None:
                self.begin()
            else:
                self.bag.flush()

    def on_compressed(self, message: bytes) -> None:
        if self.bag:  # the images of minutes, while a run is learned again, fill the memory
            self.on_message(self.resolve_topic_name(COMPRESSED), message)

    def on_image(self, message: Image) -> None:
        if not self.bag:
            return
        try:
            picture = image_of(message)
        except ImageError:  # which the localization tells
            return
        jpeg = encode(picture, QUALITY)
        at, topic = self.get_clock().now().nanoseconds, self.resolve_topic_name(COMPRESSED)
        taken, frame = to_nanoseconds(message.header.stamp), message.header.frame_id
        self.keep(lambda bag: bag.write_jpeg(topic, at, taken, frame, jpeg))

    def keep(self, write: Callable[[BagWriter], None], once: bool = False) -> None:
        """Write to the bag, or store for later if the learner has not begun.

        What is told `once` is never dropped.
        """
        self.received += 1
        if self.bag is None:
            (self.told_once if once else self.early).append((self.received, write))
        else:
            write(self.bag)

    def begin(self) -> None:
        """Create the bag, once the learner owns the folder of the run."""
        path = next_bag(self.run)
        kinds = [kind for kind in TOPICS.values() if kind.startswith("bea_ros_interfaces/")]
        own = {kind: definition_of(message_class(kind)) for kind in kinds}
        self.bag = BagWriter(path, own)
        for topic, kind in TOPICS.items():
            self.bag.add_topic(self.resolve_topic_name(topic), kind, topic in LATCHED_TOPICS)
        self.bag.add_topic(PARAMETER_EVENTS, PARAMETER_EVENT)
        if self.images:
            topic = self.resolve_topic_name(COMPRESSED)
            self.bag.add_topic(topic, COMPRESSED_IMAGE)
        for _, write in sorted([*self.told_once, *self.early]):  # no two have the same number
            write(self.bag)
        self.told_once.clear()
        self.early.clear()

    def on_timer(self) -> None:
        """Ask for parameters; subscribe to the poses when everything else is ready."""
        now = time.monotonic()
        for name in set(PARAMETERS_OF) - self.known:
            client = self.clients_[name]
            # An answer is lost if its sender has not discovered this client yet.
            due = now - self.asked.get(name, -math.inf) > AGAIN
            if due and client.services_are_ready():
                self.asked[name] = now
                client.list_parameters(callback=partial(self.on_names, name))
        names = [self.resolve_topic_name(topic) for topic in (POSE, ACTIVE)]
        publishers = [self.count_publishers(name) for name in names]
        if not self.listening and "camera_localization" in self.known and all(publishers):
            self.listening = True
            self.listen(POSE, _quality(self.kept(names[0])))
        if self.listening and self.known >= set(PARAMETERS_OF):
            self.timer.cancel()

    def kept(self, topic: str) -> bool:
        """Whether all publishers of a topic keep messages for who is discovered later."""
        publishers = self.get_publishers_info_by_topic(topic)
        return all(one.qos_profile.durability == LATCHED.durability for one in publishers)

    def on_names(self, node: str, listed: Any) -> None:
        names = list(listed.result().result.names)
        callback = partial(self.on_values, node, names)
        self.clients_[node].get_parameters(names, callback=callback)

    def on_values(self, node: str, names: list[str], got: Any) -> None:
        """Record a node's parameters as a ParameterEvent."""
        if node in self.known:
            return
        values = {
            name: parameter_value_to_python(value)
            for name, value in zip(names, got.result().values, strict=True)
        }
        at = self.get_clock().now().nanoseconds
        full = f"{self.get_namespace().rstrip('/')}/{node}"
        self.keep(lambda bag: bag.write_parameters(PARAMETER_EVENTS, at, full, values), True)
        self.known.add(node)

    def record(self, executor: SingleThreadedExecutor) -> int:
        """Record until shutdown, including all messages sent before it."""
        stopped = note_signals()  # else messages that have arrived already would be dropped
        try:
            while not stopped:
                executor.spin_once(timeout_sec=0.1)
            self.timer.cancel()  # it would be taken for silence
            deadline, heard = time.monotonic() + PATIENCE, -1
            while heard != self.received and time.monotonic() < deadline:
                heard = self.received
                executor.spin_once(timeout_sec=LAST_WORDS)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.run)) from error
        finally:
            if self.bag is not None:
                with contextlib.suppress(OSError):  # that it cannot be written has been said
                    self.bag.close()
        return 0


def _quality(latched: bool) -> QoSProfile:
    like = LATCHED if latched else RESULTS
    return QoSProfile(depth=DEPTH, reliability=like.reliability, durability=like.durability)


def message_class(name: str) -> Any:
    """Return the class of a message type such as std_msgs/msg/String."""
    package, _, kind = name.split("/")
    return getattr(importlib.import_module(f"{package}.msg"), kind)


def definition_of(kind: Any) -> str:
    """Return the definition of a message type, made from its class."""
    lines = []
    for name, words in kind.get_fields_and_field_types().items():
        element = words.removeprefix("sequence<").removesuffix(">")
        array = "[]" if words.startswith("sequence<") else ""
        lines.append(f"{PLAIN.get(element, element)}{array} {name}")
    return "\n".join(lines) + "\n"


main = partial(run_node, Recorder, work=Recorder.record)


if __name__ == "__main__":
    sys.exit(main())
