# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Stands between the camera and the localization, and spoils what passes, by a seed.

A fault begins some time after a candidate has taken over the joints:

hidden     something lies on the robot's marker
carried    a hand covers the robot and puts it down elsewhere
nudged     a hand slides the robot by 5 cm, with `kinds` only
stuck      the camera sends one image again and again, with new stamps
halted     the camera sends one image again and again, with its old stamp
set back   the camera's clock is set back, and put right later
unplugged  no image comes
stopped    somebody presses the emergency stop of the servos, with `servos` only

The simulator, which waits for each image to be processed, is answered for those that are not
passed on. The simulated robot is carried in the image alone; that on servos really is.
"""

import copy
import math
from dataclasses import dataclass

import numpy as np
from bea_ros_interfaces.msg import CpgParameters
from geometry_msgs.msg import Point, PoseWithCovarianceStamped
from sensor_msgs.msg import Image
from std_msgs.msg import Bool, Header

from bea_ros.localization.arena import load_arena
from bea_ros.localization.markers.detector import MarkerDetector
from bea_ros.nodes.shared.image_messages import image_of, message_of
from bea_ros.nodes.shared.node import Node
from bea_ros.nodes.shared.qos import LATCHED, RESULTS, images
from bea_ros.nodes.shared.stamps import to_nanoseconds, to_stamp
from bea_ros.system.nanoseconds import SECOND

KINDS = ("hidden", "carried", "stuck", "halted", "set back", "unplugged")
OF_SERVOS = "stopped"
HAND = 0.8 * SECOND  # ns a hand covers a robot that is carried
BACK = 7 * SECOND  # ns
CARRIED = 0.8  # m a robot on servos is carried
NUDGED = 0.05  # m, half the side of the robot's marker
PREFIX = "disturbed/"


@dataclass(frozen=True)
class Fault:
    """From `start` to `end` (ns, stamps)."""

    kind: str
    start: int
    end: int
    evaluation: int


class Disturber(Node):
    """Relays `image_raw` and, the other way, `image_processed`, as PREFIX's.

    `share` of the attempts are spoiled, at a random time in `duration` (s), for at most `longest`
    (s). `context` is that of the node.
    """

    def __init__(
        self, robot, seed, duration, longest, share=0.5, servos=False, kinds=KINDS, **options
    ):
        super().__init__("disturber", **options)
        self.servos = servos
        self.kinds = (*kinds, OF_SERVOS) if servos else kinds
        self.rng = np.random.default_rng(seed)
        self.duration, self.longest, self.share = duration, longest, share
        self.arena = load_arena(robot)
        self.detector = MarkerDetector(self.arena.dictionary)
        self.faults = []
        self.now = 0
        self.carried = None  # pixels from where it was
        self.nudged = 0.0  # sides of its marker from where it was
        self.last = None
        self.attempts = 0
        self.struck = False  # what is done to a robot on servos is done once
        self.originals = {}  # stamps of images as they are passed on, and as they were
        self.passed = self.create_publisher(Image, PREFIX + "image_raw", images(reliable=True))
        self.processed = self.create_publisher(Header, "image_processed", RESULTS)
        self.create_subscription(Image, "image_raw", self.on_image, images(reliable=True))
        self.create_subscription(Header, PREFIX + "image_processed", self.on_processed, RESULTS)
        self.create_subscription(CpgParameters, "active_parameters", self.on_active, LATCHED)
        self.seen_at = Point()
        self.create_subscription(PoseWithCovarianceStamped, "pose", self.on_pose, RESULTS)
        self.hand = self.create_publisher(Point, "hand", 1)
        self.stops = self.create_publisher(Bool, "emergency_stop", 1)

    @property
    def disturbing(self):
        return bool(self.faults) and self.now < self.faults[-1].end

    def on_active(self, message):
        """A candidate took over: what will happen to it?"""
        if not message.names:
            self.carried, self.nudged = None, 0.0  # the simulator puts the robot back
            return
        self.attempts += 1
        kind, spoiled = (
            self.kinds[len(self.faults) % len(self.kinds)],
            self.rng.random() < self.share,
        )
        after = self.rng.uniform(0.05, 0.9) * self.duration
        lasting = self.rng.uniform(0.2, 1.0) * self.longest
        lasting = {"unplugged": self.longest, "carried": max(lasting, 1.5)}.get(kind, lasting)
        if spoiled and not self.disturbing:
            start = to_nanoseconds(message.header.stamp) + round(after * SECOND)
            end = start + round(lasting * SECOND)
            self.faults.append(Fault(kind, start, end, message.evaluation))
            print(
                f"    fault: {kind} for {lasting:.1f} s, {after:.1f} s after the start", flush=True
            )

    def on_pose(self, message):
        self.seen_at = message.pose.pose.position

    def on_image(self, message):
        self.now = to_nanoseconds(message.header.stamp)
        fault = self.faults[-1] if self.faults else None
        if fault is None or not fault.start <= self.now < fault.end:
            fault = None
        elif self.servos and not self.struck:
            self.strike(fault)
        self.struck = fault is not None
        sent = self.spoiled(message, fault)
        if sent is None:
            self.processed.publish(message.header)
            return
        stamp = to_nanoseconds(sent.header.stamp)
        self.originals[stamp] = message.header
        self.passed.publish(sent)
        if fault and fault.kind == "halted":
            self.processed.publish(message.header)

    def strike(self, fault):
        """What a fault does to a robot on servos, at its start."""
        if fault.kind == "carried":
            x, y = self.seen_at.x, self.seen_at.y
            self.hand.publish(Point(x=x - math.copysign(CARRIED, x), y=y))
        elif fault.kind == "nudged":
            self.hand.publish(Point(x=self.seen_at.x, y=self.seen_at.y - NUDGED))
        elif fault.kind == OF_SERVOS:
            self.stops.publish(Bool(data=True))

    def on_processed(self, header):
        self.processed.publish(self.originals.get(to_nanoseconds(header.stamp), header))

    def spoiled(self, message, fault):
        """The image to send, or None."""
        kind = fault.kind if fault else ""
        if kind == "unplugged":
            return None
        if kind in ("stuck", "halted") and self.last:
            sent = copy.copy(self.last)
            sent.header = self.last.header if kind == "halted" else message.header
            return sent
        if kind == "set back":
            sent = copy.copy(message)
            sent.header = Header(frame_id=message.header.frame_id)
            sent.header.stamp = to_stamp(self.now - BACK)
            return sent
        if kind == "carried" and self.servos:
            kind = "hidden" if self.now < fault.start + HAND else ""
        if kind == "carried":
            covered = self.now < fault.start + HAND
            self.carried = None if covered else np.array([90, 40]) * (-1) ** len(self.faults)
            if covered:
                kind = "hidden"
        if kind == "nudged" and not self.servos:
            self.nudged = 0.5 * min((self.now - fault.start) / SECOND, 1.0)
        if self.nudged:
            message = self.painted(message, np.zeros(2))
        if kind == "hidden" or self.carried is not None:
            message = self.painted(message, None if kind == "hidden" else self.carried)
        if not kind:
            self.last = message
        return message

    def painted(self, message, offset):
        """The image with floor in place of the robot's marker, which is elsewhere, or nowhere."""
        picture = image_of(message).copy()
        robot = self.arena.robot_marker.id
        found = self.detector.search(picture, robot).get(robot)
        if not found:
            return message
        corners = found[0]
        low = np.floor(corners.min(axis=0) - 8).astype(int)
        high = np.ceil(corners.max(axis=0) + 8).astype(int)
        patch = picture[low[1] : high[1], low[0] : high[0]].copy()
        picture[low[1] : high[1], low[0] : high[0]] = np.median(picture)
        if offset is not None:
            right = self.nudged * np.linalg.norm(corners[1] - corners[0])
            offset = np.round(offset + np.array([right, 0.0])).astype(int)
            low, high = low + offset, high + offset
            if (low > 0).all() and high[0] < picture.shape[1] and high[1] < picture.shape[0]:
                picture[low[1] : high[1], low[0] : high[0]] = patch
        return message_of(picture, message.header)
