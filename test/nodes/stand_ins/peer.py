# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A node under test, in a process of its own, and one beside it that talks to it."""

from __future__ import annotations

import signal

from builtin_interfaces.msg import Time
from graph import end, node_process, wait_for
from guest import Guest
from hypothesis import strategies as st

from bea_ros.robots.cpg import LARGEST_WEIGHT

uint32 = st.integers(0, 2**32 - 1)
odd_floats = st.floats() | st.sampled_from([1e308, -1e308, LARGEST_WEIGHT * 1.01, 5e-324])
stamps = st.builds(Time, sec=st.integers(-(2**31), 2**31 - 1), nanosec=uint32)


def carried(text: str) -> str:
    """The text as DDS carries it: without lone surrogates and zeros."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


class Peer(Guest):
    """A node beside the node under test, whose process it has."""

    def __init__(self, name: str, domain: int, *words: str, namespace: str = "/") -> None:
        self.process = node_process(name, domain, *words, "-r", f"__ns:={namespace}")
        super().__init__("fuzzer", domain, namespace)

    def spin(self) -> None:
        assert self.process.poll() is None, "the node died"
        super().spin()

    def exit_code(self) -> int:
        """Handle messages until the node has ended by itself."""
        wait_for(lambda: self.process.poll() is not None, super().spin)
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            end(self.process)
            assert self.process.returncode in (0, -signal.SIGKILL)
        super().close()
