# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The graph: which nodes run, with which parameters, as plain data. It is started by the
`supervisor` for `bea`, and by `launching` for the launch files.
"""

from bea_ros.bringup.arguments import (
    BACKENDS,
    GAZEBO_ARGUMENTS,
    LEARN_ARGUMENTS,
    NAMESPACE,
    PAGE,
    PROCESS_ARGUMENTS,
    RECORD_ARGUMENTS,
    ROBOT_ARGUMENTS,
    RVIZ,
    RVIZ_ARGUMENTS,
    SERVOS,
    SIM_TIME,
    VALIDATE_ARGUMENTS,
    Argument,
)
from bea_ros.bringup.graphs import (
    check_files,
    gazebo_graph,
    learn_graph,
    output_folder,
    replay_graph,
    rviz_graph,
    validate_graph,
)
from bea_ros.bringup.node_spec import BringupError, NodeSpec
from bea_ros.bringup.parameter_file import configured
from bea_ros.bringup.processes import ENVIRONMENT, how_to_get

__all__ = [
    "BACKENDS",
    "ENVIRONMENT",
    "GAZEBO_ARGUMENTS",
    "LEARN_ARGUMENTS",
    "NAMESPACE",
    "PAGE",
    "PROCESS_ARGUMENTS",
    "RECORD_ARGUMENTS",
    "ROBOT_ARGUMENTS",
    "RVIZ",
    "RVIZ_ARGUMENTS",
    "SERVOS",
    "SIM_TIME",
    "VALIDATE_ARGUMENTS",
    "Argument",
    "BringupError",
    "NodeSpec",
    "check_files",
    "configured",
    "gazebo_graph",
    "how_to_get",
    "learn_graph",
    "output_folder",
    "replay_graph",
    "rviz_graph",
    "validate_graph",
]
