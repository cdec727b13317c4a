"""The live view in a real browser: opened, waited for, its places found on the screen."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, ViewportSize

from cadbridge.mechanism import Mechanism
from cadbridge.report.live import LiveView

SIZE = ViewportSize(width=900, height=450)
SLOW = 60.0
"""s that a loaded machine may take for what a person sees at once."""


def settled(condition: Callable[[], bool], seconds: float = SLOW) -> bool:
    """Whether a condition comes true: callbacks run in threads of their own."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


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
    """The page of a view, when its scene answers a click on its first body."""
    page = browser.new_page(viewport=size)
    try:
        page.set_default_timeout(2e3 * SLOW)
        page.goto(view.address)
        page.wait_for_selector("canvas", timeout=120_000)
        x, y = place(view, view.poses[0].p, size)

        first = view.told.content

        def there() -> bool:
            page.mouse.click(x, y)
            page.wait_for_timeout(300)
            return bool(view.told.content != first)

        assert settled(there, 120.0)
        yield page
    finally:
        page.close()


def place(view: LiveView, point: np.ndarray, size: ViewportSize = SIZE) -> tuple[float, float]:
    """Where a point of the world stands on the screen, as the camera is at first."""
    camera = view.server.initial_camera
    return on_screen(point, camera.position, camera.look_at, camera.fov, (size["width"], size["height"]))


def on_screen(
    point: np.ndarray, eye: np.ndarray, target: np.ndarray, fov: float, size: tuple[int, int]
) -> tuple[float, float]:
    """Where a point of the world stands in pixels; z is up, `fov` rad is the height of the view."""
    away = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(away, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    up = np.cross(right, away)
    scale = size[1] / 2 / np.tan(fov / 2) / float((point - eye) @ away)
    return size[0] / 2 + float((point - eye) @ right) * scale, size[1] / 2 - float((point - eye) @ up) * scale


def press(page: Page, tab: str, button: str) -> None:
    """Choose a tab of the panel, and click a button in it."""
    page.get_by_role("tab", name=tab, exact=True).click()
    page.get_by_role("button", name=button, exact=True).click()
