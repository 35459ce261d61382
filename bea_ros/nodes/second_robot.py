# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows frames and paths of a second robot in the rviz of the first one."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Path
from rclpy.publisher import Publisher

from bea_ros.nodes.shared.node import Node
from bea_ros.nodes.shared.parameters import Parameter, ParameterError, declare
from bea_ros.nodes.shared.pose_messages import TFMessage
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import EACH, LATCHED, RESULTS

PARAMETERS = [
    Parameter("of", "", "namespace of the second robot"),
    Parameter("beside", 4.0, "m from the first robot's map to the second one's, along y",
              -100.0, 100.0),
]  # fmt: skip

SECOND = "second"  # prefix of its frames and topics
PATHS = {"path": "path", "learner/best_path": "best_path"}


class SecondRobot(Node):
    """Subscribes `tf`, `tf_static`, `path` and `learner/best_path` of another namespace.

    Publishes them with other frames: the transforms on its own topics, the paths below `second`.
    """

    def __init__(self) -> None:
        super().__init__("second_robot")
        values = declare(self, PARAMETERS)
        namespace = f"/{values['of'].strip('/')}"
        if namespace in ("/", self.get_namespace()):
            raise ParameterError("parameter of: give another robot's namespace")
        for topic, name in PATHS.items():
            shown = self.create_publisher(Path, f"{SECOND}/{name}", LATCHED)
            relay = partial(self.on_path, shown)
            self.create_subscription(Path, f"{namespace}/{topic}", relay, LATCHED)
        self.fixed: dict[str, TransformStamped] = {}  # by the frame
        beside = TransformStamped(child_frame_id=f"{SECOND}/map")
        beside.header.frame_id = "map"
        beside.transform.translation.y = values["beside"]
        beside.transform.rotation.w = 1.0
        if TFMessage:
            self.tf = self.create_publisher(TFMessage, "/tf", RESULTS)
            self.tf_static = self.create_publisher(TFMessage, "/tf_static", LATCHED)
            self.create_subscription(TFMessage, f"{namespace}/tf", self.on_tf, RESULTS)
            # Several nodes have one latched message each, which come at the same time.
            self.create_subscription(TFMessage, f"{namespace}/tf_static", self.on_tf_static, EACH)
            self.fix(beside)

    def on_path(self, shown: Publisher[Path], message: Path) -> None:
        for one in (message, *message.poses):
            one.header.frame_id = second(one.header.frame_id)
        shown.publish(message)

    def on_tf(self, message: Any) -> None:
        self.tf.publish(TFMessage(transforms=[moved(one) for one in message.transforms]))

    def on_tf_static(self, message: Any) -> None:
        self.fix(*map(moved, message.transforms))

    def fix(self, *transforms: TransformStamped) -> None:
        """Publish these and all earlier ones, as a late subscriber gets the last message only."""
        self.fixed |= {one.child_frame_id: one for one in transforms}
        self.tf_static.publish(TFMessage(transforms=list(self.fixed.values())))


def second(frame: str) -> str:
    """Return the name of a frame of the second robot."""
    return f"{SECOND}/{frame.lstrip('/')}"


def moved(transform: TransformStamped) -> TransformStamped:
    """Return the transform between the frames of the second robot."""
    transform.header.frame_id = second(transform.header.frame_id)
    transform.child_frame_id = second(transform.child_frame_id)
    return transform


main = partial(run_node, SecondRobot)


if __name__ == "__main__":
    sys.exit(main())
