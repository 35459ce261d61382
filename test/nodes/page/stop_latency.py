# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Clicks STOP in a real browser, and measures how soon the last servo has no pulses.

    python test/nodes/page/stop_latency.py [--clicks 50] [--images]

The page's node, the servo driver and its output process are the real ones; the pins are gpiozero's
mock pins, which write down when they change. A click counts from the browser's own time of the
event. With --images a camera's pictures come meanwhile, so that the page's node has work.
"""

import argparse
import contextlib
import json
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.extend(str(Path(__file__).parents[1] / place) for place in ("", "stand_ins"))

import numpy as np
from browser import Browser
from operator_desk import Desk
from page_client import PageProcess
from sensor_msgs.msg import Image
from std_msgs.msg import Bool, Header
from std_srvs.srv import SetBool

from bea_ros.bringup.supervisor import free_domain
from bea_ros.nodes.shared.image_messages import message_of
from bea_ros.nodes.shared.qos import images
from bea_ros.system.nanoseconds import SECOND
from bea_ros.system.processes import go_first

RATE = 20.0  # images per second
PARTS = (
    "the browser's handler ran",
    "the page's node published",
    "the servo driver obeyed",
    "the last pin had no pulses",
)
LISTEN = """window.clicked = null;
document.querySelector("#stop").addEventListener("pointerdown", (event) => {
  window.clicked = [performance.timeOrigin + event.timeStamp, Date.now()];
}, { capture: true });"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clicks", type=int, default=50, help="how many")
    parser.add_argument("--images", action="store_true", help="a camera's pictures come meanwhile")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _lock, domain = free_domain()
        with (
            Desk(Path(folder), domain) as desk,
            contextlib.closing(PageProcess(domain, "robot_backend:=hardware")) as page,
            contextlib.closing(Browser()) as browser,
        ):
            measured = measure(desk, page, browser, parsed)
    tell(np.array(measured))
    return 0


def measure(desk: Desk, page: PageProcess, browser: Browser, parsed: argparse.Namespace) -> list:
    """For each click: ms until its handler ran, the page's node published, the driver said that it
    stopped, and the pins were off.
    """
    published: list[float] = []
    obeyed: list[float] = []

    def on_stop(message: Bool, info: dict) -> None:
        if message.data:
            published.append(info["source_timestamp"] / SECOND)

    def on_armed(message: Bool, info: dict) -> None:
        if not message.data:
            obeyed.append(info["source_timestamp"] / SECOND)

    desk.node.create_subscription(Bool, "emergency_stop", on_stop, 100)
    desk.node.create_subscription(Bool, "armed", on_armed, 100)
    if parsed.images:
        send_images(desk)
    desk.start("pins:=mock", "neutral_speed:=5.0")
    browser.open(page.address.whole)
    browser.wait_for("#link", "connected", desk.spin)
    browser.script(LISTEN)
    threading.Thread(target=command, args=(desk,), daemon=True).start()
    measured = []
    for number in range(parsed.clicks):
        browser.wait(lambda: "following" in browser.text("#servos"), desk.up)
        desk.up()
        desk.listen(0.3 + 0.017 * (number % 7))  # at another time of everybody's period
        desk.keeping = False
        published.clear()
        obeyed.clear()
        browser.click("#stop")
        desk.wait(lambda: published and desk.is_in("emergency stop"))
        desk.wait(lambda: desk.diagnostics["pulses"] == "none")
        event, handled = browser.script("return window.clicked")
        desk.wait(lambda event=event: obeyed and obeyed[-1] * 1e3 > event)
        stopped = next(at for at in obeyed if at * 1e3 > event)
        off = end_of_pulses(desk.pins_log.read_text().splitlines())
        times = [handled, published[0] * 1e3, stopped * 1e3, off * 1e3]
        measured.append([time - event for time in times])
        browser.wait_for("#stopped", "stopped at", desk.spin)  # it is said no more
        desk.wait(lambda: desk.call(desk.arming, SetBool.Request(data=False)).success)
    return measured


def end_of_pulses(lines: list[str]) -> float:
    """When the last pin lost its pulses; who is told again to have none has lost none."""
    pulsing: set[int] = set()
    end = 0.0
    for pin, frequency, state, at in map(json.loads, lines):
        if frequency and state:
            pulsing.add(pin)
        elif pin in pulsing:
            pulsing.remove(pin)
            end = at
    return end


def command(desk: Desk) -> None:
    """Command the joints, however busy the machine: who hears nothing relaxes the servos."""
    go_first()
    while desk.context.ok():
        with contextlib.suppress(Exception):  # the context may end meanwhile
            desk.send({"leg_00": 0.0})
        time.sleep(0.05)


def send_images(desk: Desk) -> None:
    """A camera's pictures, as the localization draws them."""
    publisher = desk.node.create_publisher(Image, "debug_image", images(reliable=True))
    header = Header(frame_id="camera")
    noise = np.random.default_rng(1).integers(0, 255, (540, 960, 3), np.uint8)

    def send() -> None:
        publisher.publish(message_of(noise, header))

    desk.node.create_timer(1 / RATE, send)


def tell(measured: np.ndarray) -> None:
    """The distribution of each part, and how many clicks took longer than 200 ms.

    Where the machine is too busy, the driver may have relaxed the servos before the click.
    """
    clicks = len(measured)
    measured = measured[measured[:, -1] > 0]
    if len(measured) < clicks:
        print(f"left out: {clicks - len(measured)} clicks, the servos were relaxed before")
    print(f"{len(measured)} clicks; ms since the click   median    90 %    max")
    for name, ms in zip(PARTS, measured.T, strict=True):
        median, most, longest = np.quantile(ms, [0.5, 0.9, 1.0])
        print(f"{name:32}{median:9.1f}{most:8.1f}{longest:7.1f}")
    slowest = measured[np.argsort(measured[:, -1])[-3:]]
    print("the slowest three:", "; ".join(" ".join(f"{ms:.0f}" for ms in row) for row in slowest))
    print(f"later than 200 ms: {int((measured[:, -1] > 200).sum())}")


if __name__ == "__main__":
    sys.exit(main())
