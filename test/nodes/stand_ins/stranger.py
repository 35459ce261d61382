# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run, and a node beside it that nobody asked for."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graph import UNDISTURBED, after, evaluations_in, in_domain, kill_all, learn_command, log_of
from guest import Guest
from rclpy.qos import QoSProfile


def measured(folder: Path) -> list[str]:
    """The log, but for how often each evaluation was tried."""
    return [re.sub(r', "attempts": \d+', "", line) for line in log_of(folder)]


class Stranger(Guest):
    """A run, and a node beside it that nobody asked for."""

    def __init__(self, folder: Path, domain: int, *words: str) -> None:
        self.folder = folder
        self.said = folder.with_suffix(".txt").open("w+")
        self.run = subprocess.Popen(
            learn_command(folder, UNDISTURBED, 1, *words),
            env=in_domain(domain),
            stdout=self.said,
            stderr=self.said,
            start_new_session=True,
        )
        super().__init__("stranger", domain)

    @property
    def done(self) -> int:
        return evaluations_in(self.folder)

    def echo(
        self,
        kind: type,
        topic: str,
        qos: QoSProfile,
        say: Callable[[Any], Any],
        other_kind: type | None = None,
        other: str = "",
        other_qos: QoSProfile | None = None,
        noticed: str = "",
    ) -> None:
        """For a while say on a topic, or another one, what `say` makes of what is said there.

        The while ends when the run has said `noticed`.
        """
        publisher = self.node.create_publisher(
            other_kind or kind, other or topic, other_qos or qos
        )

        def on_message(message: Any) -> None:
            if (said := say(message)) is not None:
                publisher.publish(said)

        subscription = self.node.create_subscription(kind, topic, on_message, qos)
        self.stay(noticed)
        self.node.destroy_subscription(subscription)
        self.node.destroy_publisher(publisher)

    def stay(self, noticed: str) -> None:
        """Handle messages for a while, and until the run has said these words."""
        over = after(1.0)
        self.wait_for(lambda: over() and noticed in self.words)

    def wait_for(self, condition: Callable[[], Any]) -> None:
        """Handle messages until a condition holds, as it has to before the run ends."""

        def held() -> bool:
            found = bool(condition())
            assert found or self.run.poll() is None, self.words
            return found

        super().wait_for(held)

    def situation(self) -> str:
        return self.words

    @property
    def words(self) -> str:
        self.said.seek(0)
        return self.said.read()

    def finish(self) -> list[str]:
        """The log of the run, but for its attempts."""
        while self.run.poll() is None:
            had = self.done
            super().wait_for(lambda had=had: self.done > had or self.run.poll() is not None)
        assert self.run.returncode == 0, self.words
        return measured(self.folder)

    def close(self) -> None:
        kill_all(self.run)
        self.said.close()
        super().close()
