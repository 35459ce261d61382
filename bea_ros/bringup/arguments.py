# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The arguments of `bea` and of ros2 launch."""

from __future__ import annotations

from dataclasses import dataclass

from bea_ros.bringup.camera_drivers import DRIVERS
from bea_ros.nodes.executables import BACKENDS
from bea_ros.robots.motors import MOTORS
from bea_ros.tasks import TASKS


@dataclass(frozen=True)
class Argument:
    """An argument of the user; its type is that of its default."""

    name: str
    default: bool | int | float | str
    description: str
    choices: tuple[str, ...] = ()


SERVOS = Argument("servos", "", "YAML of a real robot's servos; empty: the robot's own")
CONTROLLER = Argument("controller", "joint_trajectory_controller", "with robot_backend "
                      "ros2_control: name of the controller of the joints")  # fmt: skip
CAMERA_ARGUMENTS = (
    Argument("camera", "none", "driver to start for a real camera", ("none", *DRIVERS)),
    Argument(
        "camera_device", "", "device of the camera, of camera_ros a number; empty: the first"
    ),
    Argument(
        "camera_info", "", "YAML of the camera's calibration; empty: what the driver publishes"
    ),
    Argument(
        "image_transport", "raw", "send images as they are, or as JPEGs", ("raw", "compressed")
    ),
)

ROBOT_ARGUMENTS = (
    Argument("robot", "spider9", "name, or path of a NAME.urdf.xacro; spider9:6 has marker 6"),
    Argument("generation", "small", "generation of the robot's modules", ("small", "large")),
    Argument("masses", "nominal", "masses of the modules", ("nominal", "measured")),
    Argument("robot_backend", "simulator", "what moves the joints", BACKENDS),
    Argument("motor", "auto", "motor model; auto: revolve (the paper's) in simulation with "
             "profile paper or released, else servo", ("auto", *MOTORS)),
    Argument("damage", "", "broken joints in simulation, with commas between: leg_00=limp, "
             "leg_01=missing, leg_10=stuck:0.5 (rad)"),
    Argument("arena", "", "YAML file of the arena; empty: config/arena.yaml"),
    Argument("config", "", "ROS parameter file for the nodes; empty: none"),
    Argument("real_time_factor", 0.0, "maximum speed of the simulation, as a multiple of real "
             "time; 0: as fast as the nodes can"),
    Argument("headless", False, "run Gazebo without its window"),
    Argument("render_engine", "ogre2", "what draws Gazebo's camera images", ("ogre2", "ogre")),
    *CAMERA_ARGUMENTS,
    SERVOS,
    CONTROLLER,
)  # fmt: skip

LEARN_ARGUMENTS = (
    Argument("task", "gait", f"{', '.join(TASKS)}; options follow the name: gait:form=path"),
    Argument("evaluations", 150, "budget: how many candidates are tried"),
    Argument("seed", 1, "seed of every random draw"),
    Argument("output", "", "folder of the run, resumed if it exists; empty: named after the run"),
    Argument("algorithm", "bea", "optimizer", ("bea", "bo", "ea")),
    Argument("profile", "default", "settings of the algorithm", ("default", "paper", "released")),
    Argument("duration", 0.0, "duration of an evaluation (s); 0: the task's own"),
    Argument("confirm", -1, "repetitions of a new best; -1: 2 with an operator, else 0"),
    Argument("warm_start", "", "folder of a run whose best candidates are tried first"),
    Argument("prior", "", "repertoire to learn from: default (the package's) or a folder of bea "
             "explore; with algorithm bo"),
    Argument("learned_world", True, "with a prior: learn the robot's physics from its motion and "
             "search in simulation before each evaluation"),
    Argument("adapt", "", "folder of a run whose best is measured first; learning ends if it "
             "kept four fifths of its fitness"),
    Argument("enough", 0.0, "with a prior: end when the best reaches this share of the highest "
             "fitness expected of another candidate; 0: never"),
    Argument("operator", "auto", "whether somebody beside the robot can help; auto: not in "
             "simulation", ("auto", "present", "none")),
)  # fmt: skip

RECORD_ARGUMENTS = (
    Argument("record", False, "record the run as a rosbag2, into its folder"),
    Argument("record_images", False, "record the camera's images as well, as JPEGs"),
)

PROCESS_ARGUMENTS = (
    Argument("in_process", False, "simulate without the graph's processes: faster, same log"),
    Argument(
        "physics",
        0,
        "in process: draws of physics under which each candidate is tried; 0: the "
        "simulator's own physics",
    ),
    Argument("told", "mean", "with --physics: fitness that the optimizer gets", ("mean", "worst")),
    Argument(
        "images", True, "in process: draw the camera's images; no: true poses with random errors"
    ),
)

PAGE = Argument(
    "page", "local", "show the run in a browser: not at all, on this machine, or on its networks; "
    "not in process",
    ("off", "local", "lan"),
)  # fmt: skip

VALIDATE_ARGUMENTS = (
    Argument("runs", "", "folders of the runs, with commas between them"),
    Argument("repetitions", 3, "trials of each run's best candidate"),
    Argument("duration", 0.0, "duration of an evaluation (s); 0: the run's own"),
    Argument("output", "validation", "folder for the table and the trajectories"),
    Argument("append", False, "add to the trials of an earlier validation in that folder"),
)

# A resumed run takes these from run.yaml unless they are given; they do not determine its log.
SURROUNDINGS = (
    "arena", "config", "real_time_factor", "headless", "render_engine", "camera", "camera_device",
    "camera_info", "image_transport", "servos", "controller", "operator", "record",
    "record_images", "in_process", "enough",
)  # fmt: skip

# Additional arguments of ros2 launch.
NAMESPACE = Argument("namespace", "", "namespace of the robot; each robot has its own")
SIM_TIME = Argument("use_sim_time", "auto", "take the time from /clock", ("auto", "true", "false"))
RVIZ = Argument("rviz", False, "show the run in rviz")
SECOND = Argument("second", "", "namespace of a second robot to show beside the first; of another "
                  "kind: bob=gecko7")  # fmt: skip
_SHOWN = ("robot", "generation", "masses", "robot_backend", "arena")
RVIZ_ARGUMENTS = (*(a for a in ROBOT_ARGUMENTS if a.name in _SHOWN), SECOND)
GAZEBO_ARGUMENTS = tuple(
    a
    for a in ROBOT_ARGUMENTS
    if a.name not in ("robot_backend", "servos", "controller", "damage")
    and a not in CAMERA_ARGUMENTS
)
