# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Who speaks on a topic that has one publisher, and is gone before anybody looks."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from graph import wait_for
from guest import Guest
from rclpy.duration import Duration
from rclpy.publisher import Publisher
from std_msgs.msg import String

from bea_ros.nodes.shared import sole_publisher
from bea_ros.nodes.shared.qos import EACH
from bea_ros.nodes.shared.sole_publisher import SolePublisher, sender_of

pytestmark = pytest.mark.graph


def test_only_fast_dds_is_believed_who_sent_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    info = {"publisher_gid": {"data": bytes(range(16))}}
    assert sender_of(info) == bytes(range(16))
    assert sender_of({}) == b""  # rclpy of Jazzy
    monkeypatch.setattr(
        sole_publisher, "get_rmw_implementation_identifier", lambda: "rmw_cyclonedds_cpp"
    )
    assert sender_of(info) == b""


def test_messages_that_name_another_sender_than_the_graph_are_heeded(
    domain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As CycloneDDS's do."""
    monkeypatch.setattr(
        sole_publisher, "get_rmw_implementation_identifier", lambda: "rmw_cyclonedds_cpp"
    )
    monkeypatch.setattr(sole_publisher, "gid_of", lambda publisher: b"another")
    with Guest("hearer", domain) as hearer, Guest("owner", domain) as owner:
        heeded: list[String] = []
        SolePublisher(hearer.node, "name").subscribe(String, heeded.append, EACH)
        publisher = owner.node.create_publisher(String, "name", EACH)
        wait_for(lambda: publisher.get_subscription_count() == 1)
        publisher.publish(String(data="own"))
        hearer.wait_for(lambda: heeded)


@pytest.mark.skipif(int(version("rclpy").split(".")[0]) < 9, reason="rclpy says no publisher")
def test_who_came_and_left_is_not_heeded(domain: int) -> None:
    hearer, owner, visitor = (Guest(name, domain) for name in ("hearer", "owner", "visitor"))
    heeded: list[str] = []
    came: list[bool] = []

    class Counting(SolePublisher):
        def usable(self) -> bool:
            came.append(super().usable())
            return came[-1]

    one = Counting(hearer.node, "word")
    one.subscribe(String, lambda message: heeded.append(message.data), EACH)

    def say(who: Guest, word: str) -> Publisher:
        publisher = who.node.create_publisher(String, "word", EACH)
        wait_for(lambda: publisher.get_subscription_count() == 1)
        publisher.publish(String(data=word))
        return publisher

    def hear(count: int) -> list[str]:
        hearer.wait_for(lambda: len(came) == count)
        return heeded

    def leave(who: Guest, publisher: Publisher) -> None:
        publisher.wait_for_all_acked(Duration(seconds=10))
        count = hearer.node.count_publishers("word")
        who.node.destroy_publisher(publisher)
        wait_for(lambda: hearer.node.count_publishers("word") < count)

    with hearer, owner, visitor:
        leave(visitor, say(visitor, "before"))
        assert hear(1) == []
        own = say(owner, "own")
        assert hear(2) == ["own"]
        leave(visitor, say(visitor, "beside"))
        assert hear(3) == ["own"]
        own.publish(String(data="own again"))
        assert hear(4) == ["own", "own again"]
        own.publish(String(data="last"))
        leave(owner, own)  # who was alone may say something and go
        assert hear(5) == ["own", "own again", "last"]
        say(visitor, "next")
        assert hear(6) == ["own", "own again", "last", "next"]


def test_two_that_the_listener_does_not_hear_are_no_problem(domain: int) -> None:
    """As a republished image_raw beside the compressed one that the localization uses."""
    with Guest("looker", domain) as looker, Guest("listener", domain) as listener:
        one = SolePublisher(looker.node, "picture", "listener")
        two = [looker.node.create_publisher(String, "picture", EACH) for _ in range(2)]
        wait_for(lambda: looker.node.count_publishers("picture") == 2)
        assert not one.crowd
        listener.node.create_subscription(String, "picture", print, EACH)
        wait_for(lambda: all(one.get_subscription_count() for one in two))
        wait_for(lambda: one.crowd == "2 publish /picture: all are ignored until one is left")
