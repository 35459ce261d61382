# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The page's node in a process of its own, and who connects to it in tests."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
from graph import end, in_domain, node_process, wait_for

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
        words += ["-r", f"__ns:={namespace}"]
        unbuffered = in_domain(domain, PYTHONUNBUFFERED="1")
        self.process = node_process(
            "page", domain, *words, env=unbuffered, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        self.address = Address(self.process.stdout.readline())

    def close(self) -> None:
        end(self.process)


def printed_address(log: Path) -> Address:
    """The address in what `bea learn` said, once it is there."""
    wait_for(lambda: "page: http" in log.read_text(), said=log.read_text)
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
        self.slow = False  # takes no further scene
        self.number = 0
        token = address.token if token is None else token
        self.loop.run_until_complete(self._open(json.dumps({"token": token})))

    async def _open(self, hello: str) -> None:
        self.session = aiohttp.ClientSession()
        url = f"{self.address.root}live"
        try:
            # A browser tells the code that came, even if its own answer comes too late.
            self.socket = await self.session.ws_connect(url, max_msg_size=0, autoclose=False)
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
            self.loop.run_until_complete(self.socket.close())

    def _told(self, message: dict[str, Any]) -> None:
        if "now" in message and not self.slow:
            self.send('"next"')
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

        def turn() -> None:
            assert self.closed is None, f"closed with {self.closed}"
            spin()
            self.take()

        wait_for(condition, turn, lambda: self.now)

    def introduced(self) -> bool:
        return bool(self.now)

    def wait_closed(self) -> int:
        wait_for(lambda: self.closed is not None, self.take)
        assert self.closed is not None
        return self.closed

    def ask(self, what: str, spin: Callable[[], Any] = lambda: None) -> dict[str, Any]:
        """Ask for something, and wait for the answer."""
        self.number += 1
        number = self.number
        self.send(json.dumps({"id": number, "ask": what}))
        self.wait(lambda: number in self.answers, spin)
        return dict(self.answers[number])

    def close(self) -> None:
        if self.loop.is_closed():
            return
        self.loop.run_until_complete(self.socket.close())
        self.loop.run_until_complete(self.session.close())
        self.loop.close()
