# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Sees the robot through the overhead camera and says how well it did its task."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter, deque
from dataclasses import dataclass, field

import numpy as np
from bea_ros_interfaces.srv import EvaluateFitness
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import Path
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import Header

from bea_ros.bags.sightings import sighting_of
from bea_ros.localization.annotate import annotate
from bea_ros.localization.camera_info import intrinsics_of, read_camera_info
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.localization.pose import Prior
from bea_ros.localization.tracker import Limits, Observation, Tracker
from bea_ros.localization.window import Sighting, Untrusted, at_edge
from bea_ros.nodes.arena_parameters import ARENA_PARAMETERS, arena_of
from bea_ros.nodes.image_messages import ImageError, image_of, message_of
from bea_ros.nodes.parameters import Parameter, declare
from bea_ros.nodes.pose_messages import path_of, pose_of
from bea_ros.nodes.process import run_node
from bea_ros.nodes.qos import LATCHED, RESULTS, images
from bea_ros.nodes.robot_parameters import ROBOT_PARAMETERS, robot_of
from bea_ros.nodes.sole_publisher import SolePublisher
from bea_ros.nodes.stamps import SECOND, to_nanoseconds
from bea_ros.referee import Referee
from bea_ros.tasks import TaskError, Trajectory, find_task

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # not on PyPI; part of every ROS 2 installation
    TFMessage = None

PARAMETERS = [
    *ROBOT_PARAMETERS,
    *ARENA_PARAMETERS,
    Parameter("reliable_images", True, "QoS of the images: a camera driver's are best effort"),
    Parameter("image_transport", "raw", "compressed: listens to image_raw/compressed",
              choices=("raw", "compressed")),
    Parameter("camera_info_file", "", "YAML of the camera's calibration; empty: camera_info"),
    Parameter("dropout", 1.0, "s the robot may go unseen in an evaluation", 0.05, 10.0),
    Parameter("tilt", 60.0, "degrees of tilt above which the robot has fallen over", 5.0, 180.0),
    Parameter("edge", 0.15, "m from the arena's border at which an evaluation ends", 0.0, 10.0),
    Parameter("jump", 0.2, "m a robot rocks from one image to the next; more, and it was carried",
              0.0, 10.0),
    Parameter("identical_images", False, "an image may equal the one before: of a camera without "
              "noise; else such a camera is stuck"),
    Parameter("camera_timeout", 5.0, "s (wall clock) without images until an evaluation fails",
              0.5, 600.0),
    Parameter("gait.form", "displacement", "what gait measures",
              choices=("displacement", "path")),
    Parameter("directed_locomotion.direction", 0.0,
              "target direction, rad from the robot's forward", -math.pi, math.pi),
    Parameter("rotating.path_weight", 3.0, "rad per m of path taken off", 0.0, 1000.0),
]  # fmt: skip

HISTORY = 20_000  # sightings kept
SHORTEST, LONGEST = 0.1, 3600.0  # s, of an evaluation
AHEAD = 60.0  # s that an evaluation may be asked for before it begins
TRAIL = 60 * SECOND  # ns of sightings shown as the path
SET_BACK = SECOND  # ns an image is older than the last from which on it is no mere straggler
CARRIED = SECOND * 9 // 10  # ns unseen after which the path begins anew


@dataclass
class Evaluation:
    """A request that waits for its window of time to end."""

    start: int  # ns
    end: int  # ns
    done: Future = field(default_factory=Future)


class CameraLocalization(Node):
    """Subscribes `image_raw` and `camera_info`; serves `evaluate_fitness`.

    Publishes `pose`, `path`, `image_processed`, `debug_image`, and tf where tf2_msgs is found.
    """

    def __init__(self) -> None:
        super().__init__("camera_localization")
        values = declare(self, PARAMETERS)
        self.robot = robot_of(values)
        self.arena = arena_of(values, self.robot)
        self.referee = Referee(values, self.arena)
        self.limits = Limits(identical=values["identical_images"])
        self.camera_timeout = values["camera_timeout"]
        self.tracker: Tracker | None = None
        self.sightings: deque[Sighting] = deque(maxlen=HISTORY)
        self.unseen: deque[tuple[int, str]] = deque(maxlen=HISTORY)  # stamps (ns), and why
        self.last_image = 0  # ns, stamp
        self.last_wall = time.monotonic()
        self.pending: list[Evaluation] = []
        self.images_seen = self.images_total = self.images_damaged = 0
        if values["camera_info_file"]:
            self.use(read_camera_info(values["camera_info_file"]))

        self.processed = self.create_publisher(Header, "image_processed", RESULTS)
        self.poses = self.create_publisher(PoseWithCovarianceStamped, "pose", RESULTS)
        self.path = self.create_publisher(Path, "path", LATCHED)
        self.debug = self.create_publisher(Image, "debug_image", images(reliable=True))
        self.diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", RESULTS)
        self.tf = self.create_publisher(TFMessage, "/tf", RESULTS) if TFMessage else None
        qos = images(values["reliable_images"])
        self.create_subscription(CameraInfo, "camera_info", self.on_info, qos)
        compressed = values["image_transport"] == "compressed"
        kind, topic = (
            (CompressedImage, "image_raw/compressed") if compressed else (Image, "image_raw")
        )
        self.create_subscription(kind, topic, self.on_image, qos)
        self.one_camera = SolePublisher(self, topic)
        # Its answer waits for other messages, so it must not keep them from being handled.
        waiting = ReentrantCallbackGroup()
        self.create_service(
            EvaluateFitness, "evaluate_fitness", self.on_evaluate, callback_group=waiting
        )
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(0.5, self.on_watch, clock=steady)
        self.create_timer(1.0, self.publish_diagnostics, clock=steady)

    def on_info(self, message: CameraInfo) -> None:
        if self.tracker is not None:
            return
        try:
            m = message
            self.use(intrinsics_of(m.width, m.height, m.k, m.d, m.distortion_model))
        except ValueError as error:
            self.get_logger().error(f"camera_info: {error}", throttle_duration_sec=10.0)

    def use(self, intrinsics: Intrinsics) -> None:
        """Track with this camera."""
        prior = Prior(self.robot.standing_height)
        marker = self.robot.marker.pose
        self.tracker = Tracker(self.arena, intrinsics, marker, prior, self.limits)

    def on_image(self, message: Image | CompressedImage) -> None:
        stamp = to_nanoseconds(message.header.stamp)
        if self.tracker is None or not self.one_camera():
            return
        if self.last_image - stamp > SET_BACK:
            self.begin_anew(stamp)
        elif stamp <= self.last_image:
            self.processed.publish(message.header)
            return
        self.images_total += 1
        try:
            picture = image_of(message)
        except ImageError as error:
            self.images_damaged += 1
            self.get_logger().error(str(error), once=True)
            return
        observation = self.tracker.update(picture, stamp / SECOND)
        self.processed.publish(message.header)
        self.last_image, self.last_wall = stamp, time.monotonic()
        if observation:
            self.images_seen += 1
            pose = pose_message(observation, message.header)
            self.sightings.append(sighting_of(pose))
            self.publish_pose(pose)
        else:
            self.unseen.append((stamp, self.tracker.reason))
        if self.debug.get_subscription_count():
            self.publish_debug_image(picture, message.header)
        self.finish_evaluations()

    def begin_anew(self, stamp: int) -> None:
        """The clock of the images was set back to `stamp` (ns): times no longer compare."""
        assert self.tracker is not None
        back = (self.last_image - stamp) / SECOND
        self.get_logger().warning(f"the images' clock was set back by {back:.1f} s")
        self.tracker.reset()
        self.sightings.clear()
        self.unseen.clear()
        self.fail_evaluations(f"the images' clock was set back by {back:.1f} s")

    async def on_evaluate(
        self, request: EvaluateFitness.Request, response: EvaluateFitness.Response
    ) -> EvaluateFitness.Response:
        start = to_nanoseconds(request.start)
        try:
            task = find_task(request.task)
            self.check_window(start, request.duration)
        except TaskError as error:
            response.message = str(error)
            return response
        evaluation = Evaluation(start, start + round(request.duration * SECOND))
        self.pending.append(evaluation)
        self.finish_evaluations()
        silent = await evaluation.done
        if silent:
            response.message = silent
            return response
        try:
            fitness, trajectory = self.referee.measure(
                task, self.sightings, start, request.duration
            )
        except (Untrusted, ValueError) as why:
            response.message = str(why)
            reasons = [reason for stamp, reason in self.unseen if start <= stamp <= evaluation.end]
            if reasons:
                response.message += f" ({Counter(reasons).most_common(1)[0][0]})"
            return response
        response.success = math.isfinite(fitness.value)
        response.fitness = fitness.value
        response.term_names = list(fitness.terms)
        response.terms = list(fitness.terms.values())
        response.trajectory = path_of(trajectory, start)
        return response

    def check_window(self, start: int, duration: float) -> None:
        """Refuse a window of time that nobody would wait for; raises TaskError."""
        if not SHORTEST <= duration <= LONGEST:
            raise TaskError(
                f"a duration of {duration} s is not within {SHORTEST} to {LONGEST:.0f} s"
            )
        ahead = (start - max(self.last_image, self.get_clock().now().nanoseconds)) / SECOND
        if ahead > AHEAD:
            raise TaskError(f"the start is {ahead:.0f} s in the future")

    def finish_evaluations(self) -> None:
        """Let the evaluations go on that are over: their time is, or the robot is at the edge."""
        last = self.sightings[-1] if self.sightings else None
        leaving = last is not None and at_edge(last, self.arena, self.referee.trust)
        for evaluation in list(self.pending):
            over = last is not None and last.stamp >= evaluation.end
            missed = self.last_image > evaluation.end + self.referee.trust.gap * SECOND
            left = leaving and last is not None and last.stamp > evaluation.start
            if over or missed or left:
                self.pending.remove(evaluation)
                evaluation.done.set_result("")

    def on_watch(self) -> None:
        """Fail evaluations that wait for a camera which sends nothing, or at another time."""
        quiet = time.monotonic() - self.last_wall
        if quiet > self.camera_timeout:
            self.fail_evaluations(f"no image for {quiet:.0f} s")
        now = self.get_clock().now().nanoseconds
        if any(now > one.end + self.camera_timeout * SECOND for one in self.pending):
            behind = (now - self.last_image) / SECOND
            self.fail_evaluations(f"the images are {behind:.0f} s behind this machine's clock")
        if not self.pending:
            self.last_wall = max(self.last_wall, time.monotonic() - self.camera_timeout)

    def fail_evaluations(self, reason: str) -> None:
        """Answer what waits for its window of time to end."""
        pending, self.pending = self.pending, []
        for evaluation in pending:
            evaluation.done.set_result(reason)

    def publish_pose(self, pose: PoseWithCovarianceStamped) -> None:
        self.poses.publish(pose)
        if self.tf:
            transform = TransformStamped(header=pose.header, child_frame_id="base_link")
            position = pose.pose.pose.position
            transform.transform.translation.x = position.x
            transform.transform.translation.y = position.y
            transform.transform.translation.z = position.z
            transform.transform.rotation = pose.pose.pose.orientation
            self.tf.publish(TFMessage(transforms=[transform]))
        if self.path.get_subscription_count():
            trail = self.trail()
            if len(trail) > 1:
                self.path.publish(path_of(_trajectory(trail), trail[0].stamp))

    def publish_debug_image(self, picture: np.ndarray, header: Header) -> None:
        trail = np.array([(s.x, s.y) for s in self.trail()]).reshape(-1, 2)
        assert self.tracker is not None
        self.debug.publish(message_of(annotate(picture, self.tracker, trail), header))

    def trail(self) -> list[Sighting]:
        """Where the robot was lately, since it was last carried away."""
        trail: list[Sighting] = []
        for sighting in reversed(self.sightings):
            later = trail[-1].stamp if trail else sighting.stamp
            if later - sighting.stamp > CARRIED or self.last_image - sighting.stamp > TRAIL:
                break
            trail.append(sighting)
        return trail[::-1]

    def publish_diagnostics(self) -> None:
        reason = self.tracker.reason if self.tracker else "no camera_info yet"
        status = DiagnosticStatus(
            name=f"{self.get_fully_qualified_name().lstrip('/')}: tracking",
            level=DiagnosticStatus.WARN if reason else DiagnosticStatus.OK,
            message=reason or "robot seen",
            values=[
                KeyValue(key="images", value=str(self.images_total)),
                KeyValue(key="images with the robot", value=str(self.images_seen)),
                KeyValue(key="images that could not be read", value=str(self.images_damaged)),
            ],
        )
        array = DiagnosticArray(status=[status])
        array.header.stamp = self.get_clock().now().to_msg()
        self.diagnostics.publish(array)


def pose_message(observation: Observation, header: Header) -> PoseWithCovarianceStamped:
    """What was seen in the image with that header."""
    pose = PoseWithCovarianceStamped()
    pose.header.stamp, pose.header.frame_id = header.stamp, "map"
    pose.pose.pose = pose_of(observation.pose)
    pose.pose.covariance = observation.covariance.ravel().tolist()
    return pose


def _trajectory(trail: list[Sighting]) -> Trajectory:
    first = trail[0].stamp
    return Trajectory(
        [(s.stamp - first) / SECOND for s in trail],
        [s.x for s in trail],
        [s.y for s in trail],
        np.unwrap([s.yaw for s in trail]),
    )


def main(args: list[str] | None = None) -> int:
    """Run the node until it is shut down."""
    return run_node(CameraLocalization, args)


if __name__ == "__main__":
    sys.exit(main())
