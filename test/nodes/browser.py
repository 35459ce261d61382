# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium without a screen, as tests of pages drive it by Selenium."""

from __future__ import annotations

import base64
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from graph import after, wait_for

# GitHub's machines have Google's Chrome and a driver that fits it.
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
HELD = 10.0  # s


def pause() -> None:
    time.sleep(0.1)  # each look has the browser compute


def holds_within(seconds: float, condition: Callable[[], Any]) -> bool:
    """Whether a condition holds at some time of the next few seconds."""
    over = after(seconds)
    while not (found := bool(condition())) and not over():
        pause()
    return found


class Browser:
    """One window; what it says on its console counts as a mistake."""

    def __init__(self) -> None:
        webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
        if not (CHROMIUM and DRIVER):
            pytest.skip("no browser: sudo apt install chromium chromium-driver")
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(DRIVER)
        self.driver = webdriver.Chrome(options=options, service=service)

    def open(self, address: str, width: int = 390, height: int = 844, dark: bool = False) -> None:
        self.driver.get("about:blank")  # a change behind the # alone loads nothing
        self.mistakes()  # of the page before
        self.resize(width, height, dark)
        self.driver.get(address)

    def resize(self, width: int, height: int = 844, dark: bool = False) -> None:
        """A phone's screen, below 700 pixels, or another one's."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [theme]})

    def script(self, text: str, *arguments: Any) -> Any:
        return self.driver.execute_script(text, *arguments)

    def element(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        return str(self.element(selector).text)

    def click(self, selector: str) -> None:
        self.element(selector).click()

    def point(self, selector: str, share: float, click: bool = False) -> None:
        """Move the pointer to this share of an element's width, and perhaps click."""
        from selenium.webdriver import ActionChains

        element = self.element(selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        width = element.size["width"]
        move = ActionChains(self.driver).move_to_element_with_offset
        actions = move(element, round((share - 0.5) * width), 0)
        (actions.click() if click else actions).perform()

    def hold(self, selector: str, held: Callable[[], Any]) -> None:
        """Keep the pointer down on something until a condition holds.

        It is pressed anew now and then: on a busy machine a page loses its connection for a
        moment, and lets go of its buttons.
        """
        from selenium.webdriver import ActionChains

        element = self.element(selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)

        def pressed() -> bool:
            ActionChains(self.driver).click_and_hold(element).perform()
            found = holds_within(HELD, held)
            ActionChains(self.driver).release().perform()
            return found

        self.wait(pressed)

    def slide(self, start: str, end: str) -> None:
        """Press the pointer on one element, and release it on another."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).click_and_hold(self.element(start)).move_to_element(
            self.element(end)
        ).release().perform()

    def ask(self, selector: str, answered: Callable[[], Any]) -> None:
        """Click, now and then, until a condition holds."""

        def clicked() -> bool:
            self.click(selector)
            return holds_within(HELD, answered)

        self.wait(clicked)

    def press(self, key: str, code: int, held: Callable[[], Any] = lambda: True) -> None:
        """Keep a key down until a condition holds."""
        words = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        send = partial(self.driver.execute_cdp_cmd, "Input.dispatchKeyEvent")
        send({"type": "keyDown", "text": "\r" if key == "Enter" else "", **words})
        self.wait(held)
        send({"type": "keyUp", **words})

    def wait(self, condition: Callable[[], Any], turn: Callable[[], Any] = pause) -> None:
        """Until a condition holds; `turn` does what others have to do meanwhile."""
        wait_for(condition, turn, lambda: self.text("body")[:600])

    def wait_for(self, selector: str, text: str, turn: Callable[[], Any] = pause) -> None:
        """Until an element has this text in it."""
        self.wait(lambda: text in self.text(selector), turn)

    def overflow(self) -> list[str]:
        """What reaches over the right edge of the screen, or of a place that scrolls by itself."""
        found = self.script(
            """const wide = [];
            for (const e of document.querySelectorAll("body *")) {
              const box = e.getBoundingClientRect();
              const edge = e.parentElement.closest(".scroll")?.getBoundingClientRect().right;
              if (box.width && box.right > Math.min(innerWidth, edge ?? innerWidth) + 1)
                wide.push(`${e.tagName} ${e.id} ${e.className}`);
            }
            if (document.documentElement.scrollWidth > innerWidth) wide.push("the page");
            return wide;"""
        )
        return list(found)

    def in_view(self, selector: str) -> bool:
        """Whether an element is wholly on the screen, with nothing above it."""
        return bool(
            self.script(
                """const e = document.querySelector(arguments[0]), b = e.getBoundingClientRect();
                const top = document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2);
                return b.top >= 0 && b.bottom <= innerHeight && b.left >= 0 &&
                  b.right <= innerWidth && e.contains(top);""",
                selector,
            )
        )

    def mistakes(self) -> list[str]:
        """What the console has said since it was asked last."""
        return [line["message"] for line in self.driver.get_log("browser")]

    def picture(self, path: Path) -> None:
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        self.driver.quit()
