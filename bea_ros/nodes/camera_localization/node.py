# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Localizes the robot through the overhead camera, and measures its fitness."""

from __future__ import annotations

import math
import sys
import time
from functools import partial

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import Path
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import Header

from bea_ros.bags.sightings import sighting_of
from bea_ros.localization.annotate import annotate
from bea_ros.localization.arena import load_arena
from bea_ros.localization.camera_info import intrinsics_of, read_camera_info
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.localization.observation import Observation
from bea_ros.localization.referee import Referee
from bea_ros.localization.tracker import Limits, Tracker
from bea_ros.localization.window import Sighting, Window
from bea_ros.nodes.camera_localization.fitness_service import FitnessService
from bea_ros.nodes.camera_localization.seen import Seen
from bea_ros.nodes.shared.diagnostics import Diagnostics
from bea_ros.nodes.shared.image_messages import ImageError, image_of, message_of
from bea_ros.nodes.shared.node import Node, wall_timer
from bea_ros.nodes.shared.parameters import Parameter, declare
from bea_ros.nodes.shared.pose_messages import TFMessage, path_of, pose_of, transform_below
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.qos import LATCHED, POSES, RESULTS, images
from bea_ros.nodes.shared.robot.measurement import check_edge
from bea_ros.nodes.shared.robot.settings import checksum, measured_in
from bea_ros.nodes.shared.robot_parameters import (
    ARENA_PARAMETERS,
    IMAGE_PARAMETERS,
    ROBOT_PARAMETERS,
    robot_of,
)
from bea_ros.nodes.shared.sole_publisher import SolePublisher, tell_of_missing
from bea_ros.nodes.shared.stamps import to_nanoseconds
from bea_ros.robots.footprint import FOOTPRINT
from bea_ros.system.nanoseconds import SECOND

PARAMETERS = [
    *ROBOT_PARAMETERS,
    *ARENA_PARAMETERS,
    *IMAGE_PARAMETERS,
    Parameter("camera_info_file", "", "YAML of the camera's calibration; empty: camera_info"),
    Parameter("dropout", 1.0, "s for which the robot may be unseen in an evaluation; 1.3 at most "
              "where turns count (rotating)", 0.05, 10.0),
    Parameter("tilt", 60.0, "degrees of tilt above which the robot has fallen over", 5.0, 180.0),
    Parameter("edge", 0.15, "m from the arena's border at which an evaluation ends", 0.0, 10.0),
    Parameter("jump", 0.2, "m that a robot may move from image to image, or in a second; "
              "with more it counts as carried", 0.0, 10.0),
    Parameter("identical_images", False, "whether two equal images may follow each other (camera "
              "without noise); else the camera counts as stuck"),
    Parameter("camera_timeout", 5.0, "s (wall clock) without images until an evaluation fails; "
              "in simulation s after its end", 0.5, 600.0),
]  # fmt: skip

MEASURING = ("dropout", "tilt", "edge", "jump", "identical_images")
SHOW_PERIOD = 0.5  # s (wall clock) between debug images or paths: large ones, for a slow WLAN
SET_BACK = SECOND  # ns an image is older than the last from which on it is no mere straggler


class CameraLocalization(Node):
    """Subscribes `image_raw` and `camera_info`; serves `evaluate_fitness`.

    Publishes `pose`, `path`, `image_processed`, `debug_image`, and tf where tf2_msgs is found.
    """

    def __init__(self) -> None:
        super().__init__("camera_localization")
        self.values = values = declare(self, PARAMETERS)
        self.robot = robot_of(values)
        self.arena = load_arena(self.robot, values["arena"])
        check_edge(values["edge"], self.arena)
        self.referee = Referee(values, self.arena)
        self.limits = Limits(identical=values["identical_images"])
        self.tracker: Tracker | None = None
        self.seen = Seen()
        self.shown = -math.inf  # s, when the last debug image was published
        self.drawn: Sighting | None = None  # the last of the path that was published
        self.looked = time.monotonic()  # at an image
        # A simulation may stand still as long as it likes.
        simulated = bool(self.get_parameter("use_sim_time").value)
        self.patience = math.inf if simulated else values["camera_timeout"]
        self.images_seen = self.images_total = self.images_damaged = 0
        self.info: tuple | None = None  # the camera_info that is in use
        self.refused = ""  # why another one is not
        self.calibrated = bool(values["camera_info_file"])
        if self.calibrated:
            self.use(read_camera_info(values["camera_info_file"]))

        self.processed = self.create_publisher(Header, "image_processed", RESULTS)
        self.poses = self.create_publisher(PoseWithCovarianceStamped, "pose", POSES)
        self.path = self.create_publisher(Path, "path", LATCHED)
        self.debug = self.create_publisher(Image, "debug_image", images(reliable=True))
        self.diagnostics = Diagnostics(self, "tracking")
        self.tf = self.create_publisher(TFMessage, "/tf", RESULTS) if TFMessage else None
        self.height = self.robot.standing_height  # of base_link above its footprint
        if TFMessage:
            self.tf_static = self.create_publisher(TFMessage, "/tf_static", LATCHED)
            self.tf_static.publish(TFMessage(transforms=[self.footprint_to_base()]))
        qos = images(values["reliable_images"])
        SolePublisher(self, "camera_info").subscribe(CameraInfo, self.on_info, qos)
        compressed = values["image_transport"] == "compressed"
        kind, topic = (
            (CompressedImage, "image_raw/compressed") if compressed else (Image, "image_raw")
        )
        wanted = [topic] if self.calibrated else [topic, "camera_info"]
        tell_of_missing(self, dict.fromkeys(wanted, "camera or simulator"))
        SolePublisher(self, topic).subscribe(kind, self.on_image, qos)
        patience = values["camera_timeout"]
        self.service = FitnessService(
            self, self.referee, self.seen, patience, self.settings, self.blind
        )
        wall_timer(self, 1.0, self.publish_diagnostics)
        wall_timer(self, SHOW_PERIOD, self.publish_path)

    def on_info(self, message: CameraInfo) -> None:
        m = message
        told = (m.width, m.height, tuple(m.k), tuple(m.d), m.distortion_model)
        if self.calibrated or told == self.info:
            return
        try:
            intrinsics = intrinsics_of(*told)
        except ValueError as error:
            self.refused = f"camera_info: {error}"
            self.get_logger().error(self.refused, throttle_duration_sec=10.0)
            return
        if self.tracker:  # it was a stranger's, or the lens is another one
            self.forget("camera_info has changed")
        self.info = told
        self.use(intrinsics)

    def use(self, intrinsics: Intrinsics) -> None:
        """Track with a camera of these intrinsics."""
        self.lens = intrinsics
        self.tracker = Tracker.of(self.robot, self.arena, intrinsics, self.limits)

    def blind(self) -> str:
        """Why no image can be used: no camera_info came, or none of a camera; else empty."""
        return "" if self.tracker else self.refused or "no camera_info yet"

    def settings(self) -> str:
        """Say what decides how the robot is measured."""
        measured_by = {name: self.values[name] for name in MEASURING}
        return measured_in(self.arena, self.robot, lens=checksum(self.lens), **measured_by)

    def on_image(self, message: Image | CompressedImage) -> None:
        stamp = to_nanoseconds(message.header.stamp)
        if self.tracker is None:
            return
        if self.seen.last_image - stamp > SET_BACK:
            self.tracker.reset()
            back = (self.seen.last_image - stamp) / SECOND
            self.forget(f"the images' clock was set back by {back:.1f} s")
        elif stamp <= self.seen.last_image:
            self.processed.publish(message.header)
            return
        self.images_total += 1
        try:
            picture = image_of(message)
        except ImageError as error:
            self.images_damaged += 1
            self.get_logger().error(str(error), once=True)
            return
        self.looked = time.monotonic()
        observation = self.tracker.update(picture, stamp / SECOND)
        self.processed.publish(message.header)
        pose = pose_message(observation, message.header) if observation else None
        tracker = self.tracker
        if tracker.moved:
            self.get_logger().warning("the camera has moved: its place is found anew")
        self.seen.add(stamp, pose and sighting_of(pose), tracker.reason, tracker.twins)
        if pose:
            self.images_seen += 1
            self.publish_pose(pose)
        if self.debug.get_subscription_count() and time.monotonic() - self.shown > SHOW_PERIOD:
            self.shown = time.monotonic()
            self.publish_debug_image(picture, message.header)
        self.service.finish()

    def forget(self, why: str) -> None:
        """Forget what was seen, as it cannot be compared with what comes."""
        self.get_logger().warning(why)
        self.seen.forget()
        self.service.fail(why)

    def publish_pose(self, pose: PoseWithCovarianceStamped) -> None:
        self.poses.publish(pose)
        if self.tf:
            transform = TransformStamped(header=pose.header, child_frame_id=FOOTPRINT)
            transform.transform = transform_below(pose.pose.pose, self.height)
            self.tf.publish(TFMessage(transforms=[transform]))

    def footprint_to_base(self) -> TransformStamped:
        """The transform of robot_state_publisher, in case that is not running."""
        transform = TransformStamped(child_frame_id="base_link")
        transform.header.frame_id = FOOTPRINT
        transform.transform.translation.z = self.height
        return transform

    def publish_path(self) -> None:
        """Publish the path if it has changed and there are subscribers."""
        trail = self.seen.trail() if self.path.get_subscription_count() else []
        if len(trail) > 1 and trail[-1] != self.drawn:
            self.drawn = trail[-1]
            shown = Window(trail, trail[0].stamp, trail[-1].stamp)
            self.path.publish(path_of(shown.trajectory, shown.start))

    def publish_debug_image(self, picture: np.ndarray, header: Header) -> None:
        trail = np.array([(s.x, s.y) for s in self.seen.trail()]).reshape(-1, 2)
        assert self.tracker is not None
        self.debug.publish(message_of(annotate(picture, self.tracker, trail), header))

    def publish_diagnostics(self) -> None:
        reason = self.tracker.reason if self.tracker else self.blind()
        level = DiagnosticStatus.WARN if reason else DiagnosticStatus.OK
        quiet = time.monotonic() - self.looked
        if self.tracker and quiet > self.patience:
            level = DiagnosticStatus.ERROR
            reason = f"no image that can be used for {quiet:.0f} s"
        self.diagnostics.say(
            level,
            reason or "robot seen",
            {
                "images": self.images_total,
                "images with the robot": self.images_seen,
                "images that could not be read": self.images_damaged,
            },
        )


def pose_message(observation: Observation, header: Header) -> PoseWithCovarianceStamped:
    """The observation as a message with the header of its image."""
    pose = PoseWithCovarianceStamped()
    pose.header.stamp, pose.header.frame_id = header.stamp, "map"
    pose.pose.pose = pose_of(observation.pose)
    pose.pose.covariance = observation.covariance.ravel().tolist()
    return pose


main = partial(run_node, CameraLocalization)


if __name__ == "__main__":
    sys.exit(main())
