# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea check-arena: whether camera and arena are ready, and how large the error will be."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from bea_ros.commands.parser import TOPIC, add_robot, add_topic

PICTURES = (".jpg", ".pdf", ".png", ".svg")  # that it can write
OF_LEARN = ("robot", "generation", "arena", "camera_info")  # options that bea learn has as well


def add(commands: Any) -> None:
    text = "check that camera and arena are ready, and estimate the error"
    parser = commands.add_parser("check-arena", help=text, description=text)
    parser.add_argument(
        "image", nargs="?", metavar="IMAGE", help="picture or video (default: the camera's topic)"
    )
    add_topic(parser)
    parser.add_argument(
        "--camera-info",
        default="",
        metavar="YAML",
        help="YAML file of the calibration (default: topic camera_info beside the images)",
    )
    add_robot(parser)
    parser.add_argument("--output", type=Path, default=Path("arena.png"), help="picture to write")
    parser.set_defaults(run=run, usual={name: parser.get_default(name) for name in OF_LEARN})


def run(parsed: argparse.Namespace) -> int:
    from bea_ros.camera_setup.arena_check import check_arena, draw_check
    from bea_ros.images.footage import frames
    from bea_ros.localization.arena import load_arena
    from bea_ros.localization.camera_info import CameraInfoError, read_camera_info
    from bea_ros.robots import load_robot

    if parsed.output.suffix.lower() not in PICTURES:
        raise ValueError(f"--output {parsed.output}: it ends in none of {', '.join(PICTURES)}")
    robot = load_robot(parsed.robot, parsed.generation)
    arena = load_arena(robot, parsed.arena)
    if parsed.image and parsed.output.absolute() == Path(parsed.image).absolute():
        raise ValueError(f"--output {parsed.output} is the image itself: choose another")
    namespace, slash, name = parsed.topic.removesuffix("/compressed").rpartition("/")
    if parsed.image:
        if not parsed.camera_info:
            raise CameraInfoError("a picture has no calibration: --camera-info YAML")
        intrinsics = read_camera_info(parsed.camera_info)
        saved = (picture for _, picture in frames([parsed.image]))
        check = check_arena(saved, arena, intrinsics, robot)
    else:
        from bea_ros.nodes.clients.camera_feed import camera_feed

        with camera_feed() as feed:
            intrinsics = (
                read_camera_info(parsed.camera_info)
                if parsed.camera_info
                else feed.intrinsics(f"{namespace}{slash}camera_info")
            )
            pictures = feed.pictures(parsed.topic, parsed.compressed)
            check = check_arena(pictures, arena, intrinsics, robot)
    draw_check(parsed.output, check)
    for line in check.report():
        print(line)
    for line in check.advice():
        print(f"-> {line}")
    print(f"wrote {parsed.output}")
    if check.ready:
        if (namespace, name) != ("", TOPIC):
            print(f"-> bea learn takes {TOPIC} and camera_info: remap the driver to these")
        print(f"all is well: {_learn_command(parsed)}")
    return 0 if check.calibration is not None and check.robot is not None else 1


def _learn_command(parsed: argparse.Namespace) -> str:
    """The next command, with the options given here that are not the defaults."""
    words = ["bea", "learn", "--robot-backend", "hardware"]
    for name, usual in parsed.usual.items():
        if (given := getattr(parsed, name)) != usual:
            words += [f"--{name.replace('_', '-')}", given]
    if parsed.compressed:
        words += ["--image-transport", "compressed"]
    return shlex.join(words)
