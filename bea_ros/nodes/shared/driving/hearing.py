# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Receives every message on a topic that can stop a robot, from any publisher with any QoS."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from rclpy.topic_endpoint_info import TopicEndpointInfo

from bea_ros.nodes.shared.sole_publisher import gid_of, sender_of
from bea_ros.system.resources import resource_path

ALL = HistoryPolicy.KEEP_ALL
RELIABLE = QoSProfile(history=ALL, reliability=ReliabilityPolicy.RELIABLE)  # gets every message
LOSSY = QoSProfile(history=ALL, reliability=ReliabilityPolicy.BEST_EFFORT)  # from any publisher
EARLIER = QoSProfile(  # also latched messages
    history=ALL,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
AT_ONCE = 1000  # messages taken in one go: a flood must not block the node
FIRST_WORD = 0.5  # s (wall clock) that a new publisher has for its first message
VISIT = 3.0  # s (wall clock); one that leaves earlier, silent, may have sent a message
MEETING = 5.0  # s (wall clock) in which earlier publishers are discovered
LATE = 0.5  # s (wall clock) after which an overtaken message counts as lost
GLANCE = 0.1  # s (wall clock) between checks of the publishers

PROFILES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")  # environment


def hear_by_udp() -> None:
    """Let nodes of this process receive by UDP alone, unless the user gave Fast DDS a profile.

    By shared memory a process may become deaf for all that start later, until it ends: one that
    is killed while it opens another's port leaves a file, by which the port seems abandoned
    (Fast DDS's SharedMemGlobal::Port::is_zombie), or a lock, which newcomers break together.
    FASTDDS_BUILTIN_TRANSPORTS does not help, as ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
    overrides it. Call this before the first node.
    """
    if not any(name in os.environ for name in PROFILES):
        # Not both: a distribution reads its own name only, but Kilted warns of the older one.
        since_kilted = int(version("rclpy").split(".")[0]) >= 9
        os.environ[PROFILES[since_kilted]] = str(resource_path("config/fastdds_udp.xml"))


class EveryMessage:
    """Calls `heed` with every message on a topic; some messages arrive twice.

    All waiting messages are taken in one go, so that none waits behind a flood of others. DDS
    drops messages sent before both sides have discovered each other, so a publisher that leaves
    at once may never be heard. Therefore silent publishers are noted as well. A new publisher has
    `first_word` (s, wall clock) for its first message.
    """

    def __init__(
        self,
        node: Node,
        kind: type,
        topic: str,
        heed: Callable[[Any], None],
        first_word: float = FIRST_WORD,
    ) -> None:
        self._node, self._kind, self._heed, self._first_word = node, kind, heed, first_word
        self._topic = node.resolve_topic_name(topic)
        self._subscriptions: list[Subscription] = []
        self._known: set[bytes] = set()  # gids of publishers
        self._heard: set[bytes] = set()
        self._last: dict[bytes, int] = {}  # number of a publisher's last message
        self._overtaken: dict[tuple[bytes, int], float] = {}  # missing messages, since when
        self._silent: dict[object, float] = {}  # publishers not heard yet, since when
        self._glanced = self._unpowered = self._began = time.monotonic()
        self._hears_earlier = False
        self._listen(RELIABLE)
        self._listen(LOSSY, SubscriptionEventCallbacks(matched=self._on_matched))

    def missed_somebody(self, powered: bool) -> bool:
        """Whether a publisher's message may have been missed.

        This holds for a publisher that came and soon left in silence, unless it was there before
        this node. While the robot is `powered`, it also holds for one that stays silent too long.
        """
        now = time.monotonic()
        if not powered:
            self._unpowered = now
        if not self._silent or now - self._glanced < GLANCE:
            return False
        self._glanced, there = now, {gid_of(one) for one in self._publishers()}
        self.look()

        def is_missed(who: object, came: float) -> bool:
            gone = who not in there
            if came > self._unpowered + GLANCE:
                return gone or now - came > self._first_word
            return gone and came > self._began + MEETING

        missed = [who for who, came in self._silent.items() if is_missed(who, came)]
        # After this glance, since a busy machine may have held this node up since they came.
        self._silent = {
            who: came
            for who, came in self._silent.items()
            if who not in missed and now - came < VISIT
        }
        return bool(missed)

    @property
    def lost_one(self) -> bool:
        """Whether a message was lost, reported once: publishers keep few while this node hangs."""
        now = time.monotonic()
        lost = [one for one, since in self._overtaken.items() if now - since > LATE]
        for one in lost:
            del self._overtaken[one]
        return bool(lost)

    @property
    def foreign(self) -> str:
        """Says that the topic has another message type, which is never received; else empty."""
        own = f"{self._kind.__module__.split('.')[0]}/msg/{self._kind.__name__}"
        others = {one.topic_type for one in self._publishers()} - {own}
        return f"{self._topic} is published as {min(others)}, not {own}" if others else ""

    def look(self) -> None:
        """Take all waiting messages, and call `heed` with each."""
        for subscription in self._subscriptions:
            for _ in range(AT_ONCE):
                taken = subscription.handle.take_message(self._kind, False)
                if taken is None:
                    break
                self._take(*taken)

    def _listen(self, qos: QoSProfile, events: SubscriptionEventCallbacks | None = None) -> None:
        subscription = self._node.create_subscription(
            self._kind, self._topic, self._on_message, qos, event_callbacks=events
        )
        self._subscriptions.append(subscription)

    def _on_message(self, message: Any, info: Any) -> None:
        self._take(message, info)
        self.look()

    def _take(self, message: Any, info: Any) -> None:
        if sender := sender_of(info):
            self._heard.add(sender)
            self._silent.pop(sender, None)
            self._count(sender, info.get("publication_sequence_number"))
        else:
            self._silent.clear()
        self._heed(message)

    def _count(self, who: bytes, number: int | None) -> None:
        """Note that a message arrived, and the first message that it has overtaken."""
        if number is None:
            return
        self._overtaken.pop((who, number), None)
        last = self._last.setdefault(who, number)
        if number > last + 1:
            self._overtaken[who, last + 1] = time.monotonic()
        self._last[who] = max(last, number)

    def _publishers(self) -> list[TopicEndpointInfo]:
        return list(self._node.get_publishers_info_by_topic(self._topic))

    def _on_matched(self, change: Any) -> None:
        """Note publishers that came; some of them may have left already."""
        if not change.total_count_change:
            return
        there = self._publishers()
        latched = DurabilityPolicy.TRANSIENT_LOCAL
        if not self._hears_earlier and latched in (one.qos_profile.durability for one in there):
            self._hears_earlier = True
            self._listen(EARLIER)
        new = ({gid_of(one) for one in there} | self._heard) - self._known
        self._known |= new
        gone = [object() for _ in range(change.total_count_change - len(new))]
        self._silent.update(dict.fromkeys([*(new - self._heard), *gone], time.monotonic()))
