# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Serves the page in its own thread, so that the node's callbacks never wait for a browser."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.resources import files
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from bea_ros.nodes.page.guard import Door, Guard, protect
from bea_ros.nodes.page.scene import NOTHING, Scene, news, to_json

LONGEST_MESSAGE = 1024  # bytes, from a browser
ASKED = 8  # unanswered requests of one browser; a STOP is always taken
UNREAD = 256  # answers that wait for a browser; one that takes none is left
VIEWERS, RESERVED = 24, 8  # open pages; of these, only with the token
HELLO = 5.0  # s that a browser has to send its token
WRONG = 1.0  # s of delay after a wrong token
HEARTBEAT = 20.0  # s; long, as browsers on a busy computer answer late
STARTING, FLUSHING, ENDING = 10.0, 0.1, 1.5  # s; the last within supervisor.GRACE

PLACES = {
    "look": files("bea_ros.report").joinpath("look"),
    "page": files("bea_ros.nodes.page").joinpath("static"),
}
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

Reply = Callable[[bool, str], None]
Ask = Callable[[str, Reply], None]  # request, reply; called in the server's thread


class PageError(Exception):
    """The page cannot be served; the message is one line."""


class Viewer:
    """A browser that shows the page."""

    def __init__(self, socket: web.WebSocketResponse, connection: object, acting: bool) -> None:
        self.socket, self.connection, self.acting = socket, connection, acting
        self.known = NOTHING
        self.taken = True  # whether the browser has taken the last scene
        self.asked = 0
        self.due = asyncio.Event()  # a scene or an answer is to be sent
        self.answers: list[dict[str, Any]] = []


class Server:
    """Sends scenes to all browsers (`tell`), and passes their operators' requests to `ask`."""

    def __init__(self, guard: Guard, about: dict[str, Any], ask: Ask) -> None:
        self.guard, self.about, self.ask = guard, about, ask
        self.scene = NOTHING
        self._ended = False
        self._news: dict[int, tuple[str, bytes]] = {}  # messages, by id of the known scene
        self.viewers: set[Viewer] = set()
        self.port = 0
        self._contents = {name: _content(name) for name in _names()}
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None
        self._listening: asyncio.Server | None = None

    def start(self, host: str, ports: range) -> None:
        """Serve at the first free one of these ports; raises PageError."""
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        starting = asyncio.run_coroutine_threadsafe(self._start(host, ports), self._loop)
        starting.result(STARTING)

    async def _start(self, host: str, ports: range) -> None:
        app = web.Application(client_max_size=LONGEST_MESSAGE)
        app.on_response_prepare.append(protect)
        app.router.add_get("/live", self._live)
        app.router.add_get("/{name:.*}", self._file)
        self._runner = web.AppRunner(
            app, access_log=None, handle_signals=False, shutdown_timeout=ENDING / 2
        )
        await self._runner.setup()
        assert self._runner.server is not None
        door = Door(self._runner.server, self._shows)
        for port in ports:
            try:
                self._listening = await self._loop.create_server(door, host, port, backlog=64)
            except OSError as error:
                problem = error
                continue
            self.port = self._listening.sockets[0].getsockname()[1]
            return
        raise PageError(f"no port of {ports[0]} to {ports[-1]} is free: {problem.strerror}")

    def stop(self) -> None:
        """Close all connections, and end the thread."""
        if self._thread:
            with suppress(TimeoutError):
                asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(ENDING)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(2.0)
            self._thread = None

    async def _end(self) -> None:
        if self._listening:
            self._listening.close()
        for viewer in self.viewers:
            viewer.taken = True  # the last scene has how the run ended
            viewer.due.set()
        await asyncio.sleep(FLUSHING)  # the last messages are sent
        self._ended = True
        closing = [viewer.socket.close(code=WSCloseCode.GOING_AWAY) for viewer in self.viewers]
        await asyncio.gather(*closing, return_exceptions=True)
        await self._runner.cleanup()

    def tell(self, scene: Scene) -> None:
        """Show this scene from now on; a slow browser skips scenes and gets the latest.

        A browser says when it has taken a scene, and gets the next one then: a slow network would
        keep many, and what is shown would be old.
        """
        self._later(self._tell, scene)

    def _tell(self, scene: Scene) -> None:
        self.scene = scene if self.viewers else NOTHING  # nobody is to see it later
        self._news.clear()
        for viewer in self.viewers:
            viewer.due.set()

    def _shows(self, connection: object) -> bool:
        return any(viewer.connection is connection for viewer in self.viewers)

    async def _file(self, request: web.Request) -> web.Response:
        if objection := self.guard.objection(request):
            raise web.HTTPForbidden(text=objection)
        name = request.match_info["name"] or "index.html"
        if name not in self._contents:
            raise web.HTTPNotFound(text="there is no such page")
        kind = KINDS[name.rpartition(".")[2]]
        return web.Response(body=self._contents[name], content_type=kind, charset="utf-8")

    async def _live(self, request: web.Request) -> web.StreamResponse:
        """The WebSocket that sends scenes to a browser and takes its requests."""
        if objection := self.guard.objection(request):
            raise web.HTTPForbidden(text=objection)
        socket = web.WebSocketResponse(
            heartbeat=HEARTBEAT, max_msg_size=LONGEST_MESSAGE, compress=False, timeout=1.0
        )
        try:
            await socket.prepare(request)
        except ConnectionError:  # the browser left at once
            return web.Response()
        token = await _hello(socket)
        acting = self.guard.knows(token)
        if token is None:
            await socket.close(code=1002, message=b"no token came")
            return socket
        if token and not acting:
            await asyncio.sleep(WRONG)
            await socket.close(code=4403, message=b"the token is wrong")
            return socket
        if len(self.viewers) >= VIEWERS - (0 if acting else RESERVED):
            await socket.close(code=4429, message=b"too many look at this page")
            return socket
        viewer = Viewer(socket, request.protocol, acting)
        self.viewers.add(viewer)
        telling = asyncio.create_task(self._keep_telling(viewer))
        try:
            async for message in socket:
                if message.type is not WSMsgType.TEXT or not self._asked(viewer, message.data):
                    break
        finally:
            self.viewers.discard(viewer)
            if not self.viewers:
                self.scene = NOTHING
            telling.cancel()
        if len(viewer.answers) > UNREAD and request.transport:
            request.transport.abort()  # a polite end would wait until they are read
        await socket.close(code=WSCloseCode.GOING_AWAY if self._ended else WSCloseCode.OK)
        return socket

    async def _keep_telling(self, viewer: Viewer) -> None:
        with suppress(ConnectionError, RuntimeError):
            await viewer.socket.send_str(to_json({"about": self.about, "acting": viewer.acting}))
            viewer.due.set()  # a new browser gets the current scene
            while True:
                await viewer.due.wait()
                viewer.due.clear()
                for answer in viewer.answers:
                    await viewer.socket.send_str(to_json({"answer": answer}))
                viewer.answers.clear()
                if not viewer.taken or viewer.known is self.scene:
                    continue
                viewer.taken = False
                message, picture = self._news_for(viewer)
                if picture:
                    await viewer.socket.send_bytes(picture)
                await viewer.socket.send_str(message)

    def _news_for(self, viewer: Viewer) -> tuple[str, bytes]:
        """Return the news for a browser, computed once for all with the same known scene."""
        known, viewer.known = viewer.known, self.scene
        if id(known) not in self._news:
            self._news[id(known)] = news(known, self.scene)
        return self._news[id(known)]

    def _asked(self, viewer: Viewer, text: str) -> bool:
        """Handle a browser's request, or that it has taken a scene.

        False for what our page never does.
        """
        try:
            message = json.loads(text)
            if message == "next":
                viewer.taken = True
                viewer.due.set()
                return True
            number, what = message["id"], message["ask"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return False
        if type(number) is not int or not isinstance(what, str):
            return False

        def answer(done: bool, words: str) -> None:
            viewer.asked -= 1
            viewer.answers.append({"id": number, "done": done, "text": words})
            viewer.due.set()

        viewer.asked += 1
        if not viewer.acting:
            answer(False, "this address is for looking: to act, use the whole one")
        elif viewer.asked > ASKED and what != "stop":
            answer(False, "wait for what was asked before")
        else:
            self.ask(what, partial(self._later, answer))
        return len(viewer.answers) <= UNREAD

    def _later(self, work: Callable[..., None], *arguments: Any) -> None:
        """Do some work in the server's thread."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(work, *arguments)


async def _hello(socket: web.WebSocketResponse) -> str | None:
    """The token in a browser's first message, empty for a viewer; None without such a message."""
    try:
        first = await socket.receive(timeout=HELLO)
        token = json.loads(first.data)["token"] if first.type is WSMsgType.TEXT else None
    except (TimeoutError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return token if isinstance(token, str) else None


def _names() -> list[str]:
    """The names of all files served: PLACE/FILE, and index.html."""
    found = [f"{place}/{file.name}" for place, at in PLACES.items() for file in at.iterdir()]
    return ["index.html", *(name for name in found if name.rpartition(".")[2] in KINDS)]


def _content(name: str) -> bytes:
    place, _, file = name.rpartition("/")
    return PLACES[place or "page"].joinpath(file).read_bytes()
