# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The page's node in a process of its own, and who connects to it in tests."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
from graph import end

from bea_ros.nodes.executables import MODULES
from bea_ros.system.processes import die_with_parent

ADDRESS = re.compile(r"page: (http://([\d.]+):(\d+)/)#(\w+)")


class Address:
    """Where a page is, as it was printed."""

    def __init__(self, printed: str) -> None:
        found = ADDRESS.search(printed)
        assert found, printed
        self.root, self.host, port, self.token = found.groups()
        self.port = int(port)
        self.whole = f"{self.root}#{self.token}"


class PageProcess:
    """The node."""

    def __init__(self, domain: int, *parameters: str, namespace: str = "/") -> None:
        words = [word for parameter in parameters for word in ("-p", parameter)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", MODULES["page"], "--ros-args", *words, "-r",
             f"__ns:={namespace}"],
            env={**os.environ, "ROS_DOMAIN_ID": str(domain), "PYTHONUNBUFFERED": "1"},
            preexec_fn=die_with_parent, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout
        self.address = Address(self.process.stdout.readline())

    def close(self) -> None:
        end(self.process)


def printed_address(log: Path) -> Address:
    """The address in what `bea learn` said, once it is there."""
    deadline = time.monotonic() + 60
    while "page: http" not in log.read_text():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.05)
    return Address(log.read_text())


class Looker:
    """A browser without a screen: keeps what it is told."""

    def __init__(self, address: Address, token: str | None = None) -> None:
        self.address = address
        self.loop = asyncio.new_event_loop()
        self.now: dict[str, Any] = {}
        self.about: dict[str, Any] = {}
        self.rows: list[Any] = []
        self.parts: dict[str, Any] = {}
        self.answers: dict[int, Any] = {}
        self.pictures = 0
        self.closed: int | None = None
        self.acting = False
        self.number = 0
        token = address.token if token is None else token
        self.loop.run_until_complete(self._open(json.dumps({"token": token})))

    async def _open(self, hello: str) -> None:
        self.session = aiohttp.ClientSession()
        url = f"{self.address.root}live"
        try:
            self.socket = await self.session.ws_connect(url, max_msg_size=0)
        except aiohttp.ClientError:
            await self.session.close()
            raise
        await self.socket.send_str(hello)

    def send(self, text: str) -> None:
        self.loop.run_until_complete(self.socket.send_str(text))

    def take(self, patience: float = 0.05) -> None:
        """Handle one message, if one comes."""
        try:
            message = self.loop.run_until_complete(self.socket.receive(timeout=patience))
        except TimeoutError:
            return
        if message.type is aiohttp.WSMsgType.BINARY:
            self.pictures += message.data.startswith(b"\xff\xd8")
        elif message.type is aiohttp.WSMsgType.TEXT:
            self._told(json.loads(message.data))
        else:
            self.closed = self.socket.close_code

    def _told(self, message: dict[str, Any]) -> None:
        self.now = message.get("now", self.now)
        self.about = message.get("about", self.about)
        self.acting = message.get("acting", self.acting)
        self.parts |= {name: message[name] for name in ("path", "best") if name in message}
        if "rows" in message:
            self.rows[message["rows"]["from"] :] = message["rows"]["rows"]
        if "answer" in message:
            self.answers[message["answer"]["id"]] = message["answer"]

    def wait(self, condition: Callable[[], Any], spin: Callable[[], Any] = lambda: None) -> None:
        """Listen until a condition holds; `spin` does what others have to do meanwhile."""
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, f"waited in vain: {self.now}, {self.closed}"
            assert self.closed is None, f"closed with {self.closed}"
            spin()
            self.take()

    def introduced(self) -> bool:
        return bool(self.now)

    def wait_closed(self) -> int:
        deadline = time.monotonic() + 60
        while self.closed is None:
            assert time.monotonic() < deadline
            self.take()
        return self.closed

    def ask(self, what: str, spin: Callable[[], Any] = lambda: None) -> dict[str, Any]:
        """Ask for something, and wait for the answer."""
        self.number += 1
        number = self.number
        self.send(json.dumps({"id": number, "ask": what}))
        self.wait(lambda: number in self.answers, spin)
        return dict(self.answers[number])

    def close(self) -> None:
        self.loop.run_until_complete(self.socket.close())
        self.loop.run_until_complete(self.session.close())
        self.loop.close()
