# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Who may look at the page, who may act, and what those who should do neither get."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import socket
import time
from collections.abc import Iterator

import aiohttp
import psutil
import pytest
from graph import PATIENCE, after, wait_for
from page_client import Address, Looker, PageProcess

from bea_ros.nodes.page.guard import CONNECTIONS
from bea_ros.nodes.page.server import RESERVED, VIEWERS

pytestmark = pytest.mark.graph


@pytest.fixture(scope="module")
def node(domain: int) -> Iterator[PageProcess]:
    with contextlib.closing(PageProcess(domain)) as process:
        yield process


@pytest.fixture
def address(node: PageProcess) -> Address:
    return node.address


def get(address: Address, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
    connection = http.client.HTTPConnection(address.host, address.port, timeout=PATIENCE)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.read(), dict(answer.headers)
    connection.close()
    return found


def test_who_lacks_the_token_looks_and_does_not_act(address: Address) -> None:
    looker = Looker(address, token="")
    looker.wait(lambda: looker.now)
    assert not looker.acting
    for what in ("stop", "pause", "arm", "abort"):
        answer = looker.ask(what)
        assert not answer["done"]
        assert "for looking" in answer["text"]
    assert looker.now["stop"]["state"] == "none"
    looker.close()


HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


def handshake(address: Address) -> bytes:
    """What a browser sends first."""
    fields = {"Host": f"{address.host}:{address.port}", **HANDSHAKE}
    lines = [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join(["GET /live HTTP/1.1", *lines, "", ""]).encode()


@pytest.mark.parametrize("guess", ["a", "x" * 16, "\ud800", "' OR 1=1", "\0"])
def test_a_guessed_token_ends_the_connection(address: Address, guess: str) -> None:
    looker = Looker(address, token=guess)
    assert looker.wait_closed() == 4403
    assert not looker.acting
    assert not looker.now
    looker.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "10.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
    ids=str,
)
def test_other_pages_and_names_of_others_are_refused(
    address: Address, headers: dict[str, str]
) -> None:
    for path in ("/", "/page/page.js"):
        status, body, _ = get(address, path, **headers)
        assert status == 403
        assert b"<" not in body
    assert get(address, "/live", **HANDSHAKE, **headers)[0] == 403


def test_the_page_is_whole_and_keeps_to_itself(address: Address) -> None:
    status, body, headers = get(address, "/")
    assert status == 200
    assert b"<script>" not in body, "scripts are files of ours"
    assert b"http://" not in body
    assert b"https://" not in body
    assert address.token.encode() not in body
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    for name in ("look/uPlot.iife.min.js", "look/look.js", "page/page.js", "page/icon.svg"):
        assert name.encode() in body
        assert get(address, f"/{name}")[0] == 200


@pytest.mark.parametrize(
    "path",
    ["/../setup.py", "/page/../node.py", "/page/%2e%2e/node.py", "//etc/passwd", "/look/",
     "/page/page.js%00", "/look/uPlot.LICENSE/..", "/live/x"],
)  # fmt: skip
def test_nothing_else_is_served(address: Address, path: str) -> None:
    assert get(address, path)[0] in (400, 404)


def test_only_looking_is_done_by_plain_requests(address: Address) -> None:
    connection = http.client.HTTPConnection(address.host, address.port, timeout=PATIENCE)
    connection.request("POST", "/live", body=b"x" * 100)
    assert connection.getresponse().status == 405
    connection.close()


@pytest.mark.parametrize(
    "said",
    ["x" * 100_000, "[]", "{}", "nonsense", '{"id": [], "ask": "stop"}', "[" * 900,
     '{"id": 1, "ask": {"a": 1}}'],
    ids=["huge", "list", "empty", "nonsense", "number", "deep", "object"],
)  # fmt: skip
def test_what_no_page_says_ends_the_connection_and_nothing_else(
    address: Address, said: str
) -> None:
    looker = Looker(address)
    looker.wait(lambda: looker.now)
    looker.send(said)
    assert looker.wait_closed()
    looker.close()
    again = Looker(address)
    again.wait(lambda: again.now)
    again.close()


def test_many_requests_at_once_are_refused_but_for_the_first(address: Address) -> None:
    looker = Looker(address)
    looker.wait(lambda: looker.now)
    for number in range(1000, 1200):
        looker.send(json.dumps({"id": number, "ask": "pause"}))
    looker.wait(lambda: len(looker.answers) == 200)
    texts = {answer["text"] for answer in looker.answers.values()}
    assert texts <= {"no learner answers", "wait for what was asked before"}
    looker.close()


def test_who_asks_and_reads_nothing_is_left(node: PageProcess, address: Address) -> None:
    with socket.create_connection((address.host, address.port), timeout=PATIENCE) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(handshake(address))
        client.sendall(framed('{"token": ""}'))
        asked = framed('{"id": 1, "ask": "' + "x" * 80 + '"}') * 500_000
        with pytest.raises(ConnectionError):
            client.sendall(asked)


def framed(text: str) -> bytes:
    """A text message of a browser, of fewer than 126 bytes, masked with zeros."""
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text.encode()


def test_who_is_late_with_the_token_is_not_told_that_it_is_wrong(address: Address) -> None:
    with socket.create_connection((address.host, address.port), timeout=PATIENCE) as client:
        client.sendall(handshake(address))
        said = client.recv(4096)
        while b"\r\n\r\n" not in said or not said.partition(b"\r\n\r\n")[2]:
            said += client.recv(4096)
    frame = said.partition(b"\r\n\r\n")[2]
    assert frame[0] == 0x88, "it is closed"
    assert int.from_bytes(frame[2:4], "big") == 1002


def test_a_slow_browser_gets_a_scene_when_it_has_taken_the_one_before(address: Address) -> None:
    looker = Looker(address)
    looker.slow = True
    looker.wait(lambda: looker.now)
    first = looker.now
    wait_for(after(2.0), looker.take)
    assert looker.now == first
    looker.send('"next"')
    looker.wait(lambda: looker.now != first)
    assert looker.now["at"] > first["at"] + 1.0, "it is the latest"
    looker.close()


def persistent(address: Address) -> Looker:
    """Connects as a browser does: again, when its connection had to go for a newer one."""
    for _ in range(30):
        with contextlib.suppress(aiohttp.ClientError, AssertionError):
            looker = Looker(address)
            looker.wait(looker.introduced)
            return looker
        time.sleep(0.2)
    raise AssertionError("nobody gets in")


def connections(process: psutil.Process) -> int:
    listed = getattr(process, "net_connections", None) or process.connections  # psutil < 6
    return len([one for one in listed("tcp") if one.status != psutil.CONN_LISTEN])


def test_a_thousand_connections_keep_no_operator_out(node: PageProcess, address: Address) -> None:
    before = Looker(address)
    before.wait(lambda: before.now)
    process = psutil.Process(node.process.pid)
    memory = process.memory_info().rss
    idle = []
    for _ in range(1000):
        idle.append(socket.create_connection((address.host, address.port), timeout=PATIENCE))
        before.take(0.0001)
    after = persistent(address)
    after.wait(lambda: connections(process) <= CONNECTIONS, before.take)
    assert after.ask("pause")["text"] == "no learner answers"
    assert before.ask("pause")["text"] == "no learner answers", "who was there is still heard"
    assert process.memory_info().rss - memory < 50e6
    for one in idle:
        one.close()
    before.close()
    after.close()


def test_a_burst_of_connections_stays_within_the_limit(
    node: PageProcess, address: Address
) -> None:
    with contextlib.ExitStack() as idle:

        def connect(number: int) -> None:
            for _ in range(number):
                one = socket.create_connection((address.host, address.port), timeout=PATIENCE)
                idle.enter_context(one)

        process = psutil.Process(node.process.pid)
        connect(CONNECTIONS)
        wait_for(lambda: connections(process) == CONNECTIONS)
        node.process.send_signal(signal.SIGSTOP)  # so that it accepts all of these at once
        connect(50)
        node.process.send_signal(signal.SIGCONT)
        wait_for(lambda: connections(process) <= CONNECTIONS)


def test_many_who_look_leave_room_for_who_may_act(address: Address) -> None:
    looking = [Looker(address, token="") for _ in range(VIEWERS - RESERVED)]

    def turn() -> None:
        for one in looking:
            one.take(0.001)

    wait_for(lambda: all(one.now for one in looking), turn)
    late = Looker(address, token="")
    assert late.wait_closed() == 4429
    operator = Looker(address)
    operator.wait(lambda: operator.now)
    assert operator.acting
    for one in (*looking, late, operator):
        one.close()


def test_a_browser_that_leaves_at_once_is_no_error(
    domain: int, capfd: pytest.CaptureFixture[str]
) -> None:
    node = PageProcess(domain)
    address = node.address
    node.process.send_signal(signal.SIGSTOP)  # so that it hears all of this at once
    with socket.create_connection((address.host, address.port)) as client:
        client.sendall(handshake(address))
    node.process.send_signal(signal.SIGCONT)
    looker = Looker(address)
    looker.wait(lambda: looker.now)
    looker.close()
    node.close()
    assert "Traceback" not in capfd.readouterr().err
