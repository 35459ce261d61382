# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea calibrate-camera: a camera's intrinsics, from the board of bea markers --charuco."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bea_ros.commands.parser import TOPIC, add_topic

if TYPE_CHECKING:
    from bea_ros.camera_setup.collector import Collector
    from bea_ros.images.arrays import Image

WANTED = 20


def add(commands: Any) -> None:
    text = "calibrate a camera with the board of bea markers --charuco"
    more = (
        "Without IMAGES, views are collected from the camera's topic: hold the board still in "
        "many places, near and far, tilted in different directions; Ctrl-C calibrates with the "
        "views so far."
    )
    parser = commands.add_parser("calibrate-camera", help=text, description=f"{text}. {more}")
    parser.add_argument(
        "images", nargs="*", metavar="IMAGES", help="pictures, folders, patterns or videos"
    )
    add_topic(parser)
    parser.add_argument("--views", type=int, default=WANTED, help="number of views to collect")
    parser.add_argument("--name", default="overhead", help="name of the camera")
    parser.add_argument(
        "--output", type=Path, default=Path("camera.yaml"), help="file of the calibration"
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from bea_ros.camera_setup.board import Board
    from bea_ros.camera_setup.collector import Collector
    from bea_ros.camera_setup.lens import LEAST_VIEWS, LensError, calibrate_lens
    from bea_ros.camera_setup.views import Collection
    from bea_ros.images.footage import frames
    from bea_ros.localization.camera_info import write_camera_info

    if parsed.views < LEAST_VIEWS:
        raise LensError(f"--views {parsed.views}: at least {LEAST_VIEWS} are needed")
    board = Board()
    if parsed.images:
        collector = Collector(board, parsed.views, live=False)
        for _, image in frames(parsed.images):
            collector.offer(image)
        print(f"{collector.seen} of {collector.offered} images show the board")
    else:
        from bea_ros.nodes.clients.camera_feed import camera_feed

        collector = Collector(board, parsed.views, live=True)
        with camera_feed() as feed:
            _collect(collector, feed.pictures(parsed.topic, parsed.compressed))
    collection = collector.collection or Collection((0, 0), parsed.views)
    lens = calibrate_lens(board, collection)
    write_camera_info(parsed.output, parsed.name, lens.intrinsics)
    print(lens.summary)
    missing = collection.missing()
    if missing:
        print(f"it would be better still with {missing}")
    check = ["bea", "check-arena"]
    if parsed.images:
        check.append("PICTURE")  # without one it waits for the camera's topic
    check += ["--camera-info", str(parsed.output)]
    if parsed.topic != TOPIC:
        check += ["--topic", parsed.topic]
    if parsed.compressed:
        check.append("--compressed")
    print(f"wrote {parsed.output}; now: {shlex.join(check)}")
    return 0


def _collect(collector: Collector, pictures: Iterable[Image]) -> None:
    """Collect until the lens is determined; print each new request to the person."""
    said = ""
    try:
        for picture in pictures:
            collector.offer(picture)
            if collector.wish != said:
                said = collector.wish
                print(said, flush=True)
            if collector.done and collector.enough():
                return
    except KeyboardInterrupt:
        print("", file=sys.stderr)
