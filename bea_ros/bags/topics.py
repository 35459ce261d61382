# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Topics of a recording: all that a fitness is computed from, and the joints' motion."""

from __future__ import annotations

POSE = "pose"
STATUS = "learner/status"
ACTIVE = "active_parameters"
PARAMETER_EVENTS = "/parameter_events"
PARAMETER_EVENT = "rcl_interfaces/msg/ParameterEvent"
COMPRESSED = "image_raw/compressed"  # as image_transport names it
COMPRESSED_IMAGE = "sensor_msgs/msg/CompressedImage"

TOPICS = {
    POSE: "geometry_msgs/msg/PoseWithCovarianceStamped",
    STATUS: "bea_ros_interfaces/msg/LearnerStatus",
    ACTIVE: "bea_ros_interfaces/msg/CpgParameters",
    "joint_trajectory": "trajectory_msgs/msg/JointTrajectory",
    "joint_states": "sensor_msgs/msg/JointState",
    "camera_info": "sensor_msgs/msg/CameraInfo",
}
LATCHED_TOPICS = (POSE, STATUS, ACTIVE, "camera_info")
# Nodes whose parameters affect a fitness: duration, method, and limits of trust.
PARAMETERS_OF = ("camera_localization", "learner")

# Number and field of each type of parameter (rcl_interfaces/msg/ParameterType).
PARAMETER_TYPES = {
    bool: (1, "bool_value"),
    int: (2, "integer_value"),
    float: (3, "double_value"),
    str: (4, "string_value"),
    list: (9, "string_array_value"),
}
