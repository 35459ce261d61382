# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The page's address, as printed on the terminal."""

from __future__ import annotations

import contextlib
import socket
import sys

import cv2

HOSTS = {"local": "127.0.0.1", "lan": "0.0.0.0"}  # by the parameter `reach`
PORTS = range(8600, 8700)  # the first free one is used


def tell(reach: str, port: int, token: str) -> None:
    """Print the address; on a terminal, for `lan`, print a QR code for phones as well."""
    host = HOSTS["local"] if reach == "local" else own_address()
    address = f"http://{host}:{port}/#{token}"
    start = "\r\x1b[K" * sys.stdout.isatty()  # overwrites the learner's last line
    lines = [f"{start}page: {address}", "  (to look only: leave out # and what follows)"]
    if reach == "lan":
        lines.append("page: this network can see it; whoever has this address can control the run")
        if sys.stdout.isatty():
            lines += qr_code(address)
    with contextlib.suppress(OSError):  # the terminal was closed
        print("\n".join(lines), flush=True)


def own_address() -> str:
    """Return this machine's address in its network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; the route says which address is used
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


def qr_code(text: str) -> list[str]:
    """Return the lines of a QR code, two rows of modules in each, light on dark."""
    modules = cv2.QRCodeEncoder.create().encode(text) > 127
    if len(modules) % 2:
        modules = cv2.copyMakeBorder(modules.astype("uint8"), 0, 1, 0, 0, 0, value=1) > 0
    blocks = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}
    return [
        "".join(blocks[bool(a), bool(b)] for a, b in zip(upper, lower, strict=True))
        for upper, lower in zip(modules[::2], modules[1::2], strict=True)
    ]
