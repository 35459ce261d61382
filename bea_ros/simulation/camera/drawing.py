# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A process that draws the overhead camera's images while its owner goes on.

It takes the camera (JSON) and scenes (float64, int64) from standard input, and writes images to
standard output. It ends with its owner, for any reason. Ctrl-C does not reach it.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import subprocess
import sys
from collections import deque
from contextlib import suppress
from dataclasses import asdict
from typing import IO, Any, Self

import cv2
import numpy as np

from bea_ros.images.arrays import Array, Image
from bea_ros.localization.arena import Arena, FloorMarker, Marker
from bea_ros.localization.intrinsics import Intrinsics
from bea_ros.simulation.camera.overhead import Appearance, OverheadCamera

Scene = tuple[Array, Array]  # poses (n, 4, 4) of the robot's modules, (4, 4) of its marker

_END = b"\n"  # of the camera's description
_READY = b"\n"  # sent when the camera is set up
_PIPE = 1 << 20  # bytes, for three images


class DrawingProcess:
    """Draws a camera's images of a robot with these looks, in the order of the scenes.

    Before it is set up, and if it has ended, its owner draws them: the same images.
    """

    def __init__(self, camera: OverheadCamera, looks: tuple[Array, Array]) -> None:
        self.camera, self._looks = camera, looks
        self._begun: deque[tuple[Scene, int, bool]] = deque()  # the last: by the process
        self._ready = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bea_ros.simulation.camera.drawing"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._scenes: IO[bytes] = self._process.stdin
        self._images: IO[bytes] = self._process.stdout
        with suppress(AttributeError, OSError):  # a smaller pipe only lets the process wait
            fcntl.fcntl(self._images.fileno(), fcntl.F_SETPIPE_SZ, _PIPE)
        self._send(json.dumps(_described(camera, looks)).encode() + _END)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the process at once, whatever it does: images that were begun are lost."""
        self._ready = False
        self._process.kill()
        self._process.wait()
        with suppress(OSError):  # what is still unsent does not matter
            self._scenes.close()
        self._images.close()

    def begin(self, scene: Scene, seed: int) -> None:
        """Begin the image of a scene; `seed` is that of its noise."""
        bits = b"".join(poses.tobytes() for poses in scene) + np.int64(seed).tobytes()
        self._begun.append((scene, seed, self._is_ready() and self._send(bits)))

    def take(self) -> Image:
        """The first image, uint8, of those that were begun."""
        scene, seed, there = self._begun.popleft()
        if there and self._ready:
            image = np.empty(self.camera.shape, np.uint8)
            if self._images.readinto(image) == image.nbytes:  # type: ignore[attr-defined]
                return image
            self._ready = False
        return self.camera.render(*self._looks, *scene, seed=seed)

    def forget(self) -> None:
        """Drop the images that were begun."""
        while self._begun:
            self.take()

    def _is_ready(self) -> bool:
        if not self._ready and select.select([self._images], [], [], 0)[0]:
            self._ready = self._images.read(1) == _READY  # nothing if it has ended
        return self._ready

    def _send(self, what: bytes) -> bool:
        try:
            self._scenes.write(what)
            self._scenes.flush()
        except OSError:
            self._ready = False
            return False
        return True


def _described(camera: OverheadCamera, looks: tuple[Array, Array]) -> dict[str, Any]:
    """All that images depend on, for `_camera_of`."""
    lens = camera.intrinsics
    return {
        "arena": asdict(camera.arena),
        "lens": [lens.width, lens.height, lens.matrix.tolist(), lens.distortion.tolist()],
        "pose": camera.pose.tolist(),
        "appearance": asdict(camera.appearance),
        "encoding": camera.encoding,
        "looks": [each.tolist() for each in looks],
    }


def _camera_of(told: dict[str, Any]) -> OverheadCamera:
    arena = told["arena"]
    arena["robot_marker"] = Marker(**arena["robot_marker"])
    arena["floor_markers"] = tuple(FloorMarker(**one) for one in arena["floor_markers"])
    return OverheadCamera(
        Arena(**arena),
        Intrinsics(*told["lens"]),
        np.array(told["pose"]),
        Appearance(**told["appearance"]),
        told["encoding"],
    )


def main() -> None:
    """Draw until the owner ends."""
    scenes, images = sys.stdin.buffer, sys.stdout.buffer
    cv2.setNumThreads(1)  # the images are small: a second thread costs more than it gains
    with suppress(OSError, json.JSONDecodeError):  # the owner has ended
        told = json.loads(scenes.readline())
        camera, (sizes, colours) = _camera_of(told), map(np.array, told["looks"])
        images.write(_READY)
        images.flush()
        parts = [("modules", float, (len(sizes), 4, 4)), ("marker", float, (4, 4)), ("seed", "i8")]
        scene = np.dtype(parts)
        while len(bits := scenes.read(scene.itemsize)) == scene.itemsize:
            modules, marker, seed = np.frombuffer(bits, scene)[0]
            images.write(camera.render(sizes, colours, modules, marker, int(seed)).data)
            images.flush()
    os._exit(0)  # nobody reads what is left to be written


if __name__ == "__main__":
    main()
