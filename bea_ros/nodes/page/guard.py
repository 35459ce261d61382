# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Controls who may view the page and who may act: host names, origins, token, connections."""

from __future__ import annotations

import asyncio
import base64
import hmac
import ipaddress
import re
import secrets
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

from aiohttp import web

CONNECTIONS = 96  # at a time; a new one replaces the oldest without a viewer
HOST = re.compile(r"\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+")
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",  # against clickjacking of STOP and arm
}
CONTENT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def new_token() -> str:
    """Return 80 random bits as a base32 word that can be typed."""
    return base64.b32encode(secrets.token_bytes(10)).decode().lower()


class Guard:
    """Checks tokens, and the host name and origin of requests."""

    def __init__(self, token: str, local: bool) -> None:
        self._token = token.encode()
        self._local = local
        name = socket.gethostname().lower()
        self._names = {"localhost"} if local else {"localhost", name, f"{name}.local"}

    def knows(self, word: object) -> bool:
        """Whether a word is the token."""
        return isinstance(word, str) and hmac.compare_digest(
            word.encode("utf-8", "replace"), self._token
        )

    def objection(self, request: web.Request) -> str:
        """Why a request is refused; empty if it is not.

        Another site's page can make a browser send requests here, but their Origin differs from
        ours. A name of that site that resolves to our address (DNS rebinding) is not ours, either.
        """
        host = request.headers.get("Host", "")
        if not self._is_ours(host):
            return "the page is not called by this name"
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return "another page asks"
        if request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            return "another page asks"
        return ""

    def _is_ours(self, host: str) -> bool:
        found = HOST.match(host)
        if not found or not re.fullmatch(r"(:\d{1,5})?", host[found.end() :]):
            return False
        name = found[0].strip("[]").lower()
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self._local


async def protect(request: web.Request, response: web.StreamResponse) -> None:
    """Add the security headers: a browser loads nothing but this page's own files."""
    response.headers.update(HEADERS)
    response.headers["Content-Security-Policy"] = CONTENT.format(host=request.host)


class Door:
    """Creates the protocols of aiohttp's server, and limits the connections to CONNECTIONS."""

    def __init__(self, server: web.Server, busy: Callable[[object], bool]) -> None:
        self._server, self._busy = server, busy
        self._leaving: set[object] = set()

    def __call__(self) -> asyncio.BaseProtocol:
        # later, as of connections that were accepted together none is the server's yet
        asyncio.get_running_loop().call_soon(self._make_room)
        return self._server()

    def _make_room(self) -> None:
        """End the oldest connection without a viewer where one more would exceed the limit."""
        self._leaving &= set(self._server.connections)
        staying = [c for c in self._server.connections if c not in self._leaving]
        surplus = len(staying) + 1 - CONNECTIONS
        for connection in [c for c in staying if not self._busy(c)][: max(surplus, 0)]:
            self._leaving.add(connection)
            if connection.transport is not None:
                connection.transport.abort()
