# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Gazebo's server as a process: starts it, and removes everything at its end."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from bea_ros.system.guard import GRACE, guarded

# llvmpipe, Mesa's software renderer, may block for half a minute or for ever in anisotropic
# filtering, which Ogre uses wherever it is offered.
NO_ANISOTROPY = "-GL_EXT_texture_filter_anisotropic -GL_ARB_texture_filter_anisotropic"
OVERRIDE = "MESA_EXTENSION_OVERRIDE"


class Server:
    """`gz sim` with the world that `write` puts into a folder; `write` returns the world's path.

    When this process ends, for whatever reason, the server ends and its folder is removed.
    """

    def __init__(
        self, write: Callable[[str], Path], headless: bool, render_engine: str, time: float = 0.0
    ) -> None:
        """Start with simulated time at `time` (s)."""
        self.write, self.headless, self.render_engine = write, headless, render_engine
        self.process = self._start(time)

    def restart(self, time: float) -> None:
        """Kill a server that hangs, and start another with simulated time at `time` (s)."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(b"kill")
            self.process.stdin.flush()
        self.end()
        self.process = self._start(time)

    def end(self) -> None:
        """End the server; if it hangs, it is killed."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2 * GRACE)

    @property
    def code(self) -> int | None:
        """The server's exit code as in a shell; None while it runs."""
        return self.process.poll()

    def _start(self, time: float) -> subprocess.Popen:
        folder = tempfile.mkdtemp(prefix="bea_ros_gazebo_")
        try:
            world = self.write(folder)
        except BaseException:
            shutil.rmtree(folder)
            raise
        words = command(str(world), self.headless, self.render_engine, time)
        return subprocess.Popen(
            guarded(folder, words),
            stdin=subprocess.PIPE,
            start_new_session=True,
            env=environment(os.environ),
        )


def command(world: str, headless: bool, render_engine: str, time: float = 0.0) -> list[str]:
    """Return the command that starts Gazebo; headless, Ogre 2 needs no display, Ogre 1 does."""
    words = ["gz", "sim", "-r", "--render-engine", render_engine]
    if headless:
        words += ["-s", *(["--headless-rendering"] if render_engine == "ogre2" else [])]
    if time:
        words += ["--initial-sim-time", f"{time:.3f}"]
    return [*words, world]


def environment(before: Mapping[str, str], devices: Path = Path("/dev/dri")) -> dict[str, str]:
    """Return Gazebo's environment: software rendering gets no anisotropic filtering."""
    by_processor = before.get("LIBGL_ALWAYS_SOFTWARE", "0").lower() in ("1", "true", "yes")
    if by_processor or not any(devices.glob("renderD*")):
        return {OVERRIDE: NO_ANISOTROPY, **before}
    return dict(before)
