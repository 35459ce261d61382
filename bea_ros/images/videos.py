# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Writes H.264 videos and animated GIFs with ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

import numpy as np

from bea_ros.images.arrays import Image

# All players support 4:2:0. With the index in front, a browser starts playing at once.
H264 = ("-c:v", "libx264", "-preset", "veryfast", "-crf", "21", "-pix_fmt", "yuv420p")
H264_FILE = (*H264, "-movflags", "+faststart")
GIF_RATE, GIF_WIDTH = 10, 400  # frames per second, pixels
GIF = (
    f"fps={GIF_RATE},scale='min({GIF_WIDTH},iw)':-2:flags=lanczos,split[a][b];"
    "[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4"
)


def find_ffmpeg() -> str:
    """Path of ffmpeg: imageio-ffmpeg's, or the system's; raises ValueError without one."""
    try:
        from imageio_ffmpeg import get_ffmpeg_exe

        return str(get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        found = shutil.which("ffmpeg")
    if found is None:
        raise ValueError(
            "a video needs ffmpeg: pip install imageio-ffmpeg, or: sudo apt install ffmpeg"
        )
    return found


@contextmanager
def video_writer(
    path: Path, width: int, height: int, rate: float
) -> Iterator[Callable[[Image], object]]:
    """A function that adds an RGB image (height, width, 3) to a video, `rate` frames per second.

    Another process encodes the video meanwhile. An earlier video stays until this one is
    complete. Width and height must be even. Raises OSError if writing fails, ValueError without
    ffmpeg.
    """
    raw = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{rate:g}")
    with _unfinished(path) as file, _ffmpeg(*raw, "-i", "-", *H264_FILE, str(file)) as pipe:
        yield lambda image: pipe(np.ascontiguousarray(image).data)


def write_gif(video: Path, path: Path) -> None:
    """Write a video as an animated GIF, smaller and with fewer frames; raises OSError."""
    with _unfinished(path) as file, _ffmpeg("-i", str(video), "-vf", GIF, str(file)):
        pass


@contextmanager
def _unfinished(path: Path) -> Iterator[Path]:
    """A file in a temporary folder beside `path`; it replaces `path` when it is complete."""
    try:
        folder = TemporaryDirectory(prefix=f".{path.stem}-", dir=path.parent)
    except OSError as error:
        error.filename = str(path)
        raise
    with folder:
        file = Path(folder.name) / path.name  # ffmpeg chooses the format by the suffix
        yield file
        file.replace(path)


@contextmanager
def _ffmpeg(*words: str) -> Iterator[Callable[[memoryview], object]]:
    """Run ffmpeg with a pipe to its input; raises OSError with its message if it fails."""
    command = [find_ffmpeg(), "-hide_banner", "-loglevel", "error", "-y", *words]
    with TemporaryFile() as said:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said
        )
        assert process.stdin
        broken = False
        try:
            yield process.stdin.write
            process.stdin.close()
        except BrokenPipeError:
            broken = True  # ffmpeg ended; its message is read below
        except BaseException:
            process.kill()
            process.wait()
            raise
        if process.wait() or broken:
            said.seek(0)
            lines = said.read().decode(errors="replace").strip().splitlines()
            raise OSError(f"ffmpeg cannot write it: {lines[-1] if lines else 'it gave no reason'}")
