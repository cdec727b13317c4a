"""The live view in a real browser: opened, waited for, its places found on the screen."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, ViewportSize

from cadbridge.mechanism import Mechanism
from cadbridge.report.live import LiveView
from tests.waiting import SLOW

SIZE = ViewportSize(width=1210, height=600)


@contextmanager
def served(mechanism: Mechanism, **options: Any) -> Iterator[LiveView]:
    """A live view at a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    view = LiveView(mechanism, port=port, say=lambda line: None, **options)
    try:
        yield view
    finally:
        view.close()


@contextmanager
def shown(browser: Browser, view: LiveView, size: ViewportSize = SIZE) -> Iterator[Page]:
    """The page of a view, when it is there and connected; at the end it must not have complained."""
    page = browser.new_page(viewport=size)
    complaints: list[str] = []
    page.on("pageerror", lambda fault: complaints.append(str(fault)))
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    try:
        page.set_default_timeout(1e3 * SLOW)
        page.goto(view.address)
        page.get_by_role("tab", name="Move").wait_for()
        page.wait_for_selector("canvas[data-drawn=yes]")
        yield page
    finally:
        page.close()
    assert complaints == []


def place(page: Page, point: np.ndarray) -> tuple[float, float]:
    """Where a point of the world stands on the screen, in pixels."""
    box = page.locator("canvas").first.bounding_box()
    at = page.evaluate("at => window.onCanvas(at)", [float(x) for x in point])
    assert box is not None
    return box["x"] + at["x"], box["y"] + at["y"]


def press(page: Page, tab: str, button: str) -> None:
    """Choose a tab of the panel, and click a button in it."""
    page.get_by_role("tab", name=tab, exact=True).click()
    page.get_by_role("button", name=button, exact=True).click()
