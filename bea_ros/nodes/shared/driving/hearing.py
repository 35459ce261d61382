# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every message on a topic by which a robot is stopped, whoever says it and however."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from rclpy.topic_endpoint_info import TopicEndpointInfo

from bea_ros.nodes.shared.sole_publisher import gid_of

ALL = HistoryPolicy.KEEP_ALL
RELIABLE = QoSProfile(history=ALL, reliability=ReliabilityPolicy.RELIABLE)  # gets every message
LOSSY = QoSProfile(history=ALL, reliability=ReliabilityPolicy.BEST_EFFORT)  # any publisher's
EARLIER = QoSProfile(  # also what was said before
    history=ALL,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
AT_ONCE = 1000  # messages taken in one go: a flood must not keep the node from all else
FIRST_WORD = 0.5  # s (wall clock) that who comes may take to say stop
VISIT = 3.0  # s (wall clock) within which who goes without a word may have said one
MEETING = 5.0  # s (wall clock) in which those are met who were there before
LATE = 0.5  # s (wall clock) after which a message is lost that a later one has overtaken
GLANCE = 0.1  # s (wall clock) between looks at who is there


class EveryMessage:
    """Calls `heed` with every message on a topic, with one now and then twice.

    All that has come is looked at in one go, so that no word waits behind a flood of others. DDS
    drops what a publisher says before both sides know each other; of one that ends at once
    nothing may ever be heard. So it is known, too, who came and was not heard. Who comes may take
    `first_word` (s, wall clock) to say something.
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
        self._known: set[bytes] = set()  # publishers, by their gid
        self._heard: set[bytes] = set()
        self._last: dict[bytes, int] = {}  # number of a publisher's last message
        self._overtaken: dict[tuple[bytes, int], float] = {}  # messages that are due, since when
        self._silent: dict[object, float] = {}  # since when
        self._glanced = self._unpowered = self._began = time.monotonic()
        self._hears_earlier = False
        self._listen(RELIABLE)
        self._listen(LOSSY, SubscriptionEventCallbacks(matched=self._on_matched))

    def missed_somebody(self, powered: bool) -> bool:
        """Whether somebody may have said what was not heard.

        That is who came and soon went without a word, unless they were there before this node,
        and, while the robot is `powered`, who has come and takes long over the first one.
        """
        now = time.monotonic()
        self._silent = {who: came for who, came in self._silent.items() if now - came < VISIT}
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
        for who in missed:
            del self._silent[who]
        return bool(missed)

    @property
    def lost_one(self) -> bool:
        """Whether a message never came, once: a publisher keeps few while this node hangs."""
        now = time.monotonic()
        lost = [one for one, since in self._overtaken.items() if now - since > LATE]
        for one in lost:
            del self._overtaken[one]
        return bool(lost)

    @property
    def foreign(self) -> str:
        """Who is never heard, since they publish another type, in words, or nothing."""
        own = f"{self._kind.__module__.split('.')[0]}/msg/{self._kind.__name__}"
        others = {one.topic_type for one in self._publishers()} - {own}
        return f"{self._topic} is published as {min(others)}, not {own}" if others else ""

    def look(self) -> None:
        """Take what has come, and heed it."""
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
        if publisher := info.get("publisher_gid"):
            self._heard.add(publisher["data"])
            self._silent.pop(publisher["data"], None)
            self._count(publisher["data"], info.get("publication_sequence_number"))
        else:  # rclpy before Kilted
            self._silent.clear()
        self._heed(message)

    def _count(self, who: bytes, number: int | None) -> None:
        """Note that a publisher's message came, and the first one that it has overtaken."""
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
        """Publishers came or went; who came may be gone by now."""
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
