"""A real browser for the page: the one that is found, drawing in software."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from weakref import WeakKeyDictionary

import pytest
from playwright.sync_api import Browser, Dialog, Page, Playwright, ViewportSize, sync_playwright

from tests.waiting import SLOW

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox", "--disable-dev-shm-usage",
    "--disable-gpu-rasterization", "--disable-gpu-compositing",
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,PaintHolding,HttpsUpgrades,"
    "OptimizationHints,MediaRouter,DestroyProfileOnBrowserClose,AvoidUnnecessaryBeforeUnloadCheckSync",
]  # fmt: skip
"""WebGL is drawn in software, and so is the rest of a page: by a GPU made of software it costs a quarter more.

For the list under its address bar Chromium loads two pages of its own in each window that is opened: a third of what a
page costs, and 0.3 s of the processor in each second that a test waits. Only the last list of features counts, so that
of Playwright's own those stand here again that have to do with how a page is loaded and drawn.
"""
DESKTOP = ViewportSize(width=1210, height=600)
"""As wide as the layout for wide windows needs, and no higher than the tests: what is drawn in software costs by its
pixels."""
PHONE = ViewportSize(width=390, height=844)


LACKING = "no browser: apt-get install -y chromium, or python -m playwright install chromium"


def browser_path(playwright: Playwright) -> str:
    """CADBRIDGE_BROWSER, else a Chromium of the machine, else the one that Playwright fetched; else skipped."""
    named = os.environ.get("CADBRIDGE_BROWSER")
    if named and not shutil.which(named):
        pytest.fail(f"CADBRIDGE_BROWSER names {named}, which is no program", pytrace=False)
    fetched = playwright.chromium.executable_path
    found = named or next((p for n in NAMES if (p := shutil.which(n))), None) or shutil.which(fetched)
    if found is None:
        pytest.skip(LACKING)
    return found


def launched(playwright: Playwright) -> Browser:
    """A headless Chromium that draws in software."""
    path = browser_path(playwright)
    return playwright.chromium.launch(executable_path=path, args=ARGUMENTS, timeout=1e3 * SLOW)


@contextmanager
def running() -> Iterator[Browser]:
    """A headless Chromium that draws in software.

    While it runs, this thread has an event loop: it is closed before tests that run loops of their own.
    """
    with sync_playwright() as playwright:
        found = launched(playwright)
        yield found
        found.close()


_WINDOWS: WeakKeyDictionary[Browser, Page] = WeakKeyDictionary()
"""The window of each browser, kept from test to test: to open one costs half as much as to load a page into it."""


@contextmanager
def heard(page: Page, handlers: Mapping[str, Callable[[Any], None]]) -> Iterator[None]:
    """While each handler hears its event of a page."""
    for event, handler in handlers.items():
        page.on(cast("Any", event), handler)
    try:
        yield
    finally:
        for event, handler in handlers.items():
            page.remove_listener(event, handler)


@contextmanager
def window(browser: Browser, size: ViewportSize, dark: bool = False) -> Iterator[Page]:
    """The window as if it were new: nothing loaded or stored, the mouse outside of it; closed where a test fails."""
    page = _WINDOWS.pop(browser, None) or browser.new_page(viewport=size, reduced_motion="reduce")
    try:
        page.set_viewport_size(size)
        page.emulate_media(media="screen", color_scheme="dark" if dark else "light", reduced_motion="reduce")
        page.set_default_timeout(1e3 * SLOW)
        yield page
        page.evaluate("sessionStorage.clear(); localStorage.clear()")
        page.mouse.move(-10, -10)
        page.goto("about:blank")
        _WINDOWS[browser] = page
    finally:
        if _WINDOWS.get(browser) is not page:
            page.context.close()


@contextmanager
def new_window(browser: Browser, size: ViewportSize, dark: bool, script: bool, before: str | None) -> Iterator[Page]:
    """A window of its own, without scripts or with one that runs before those of the page."""
    context = browser.new_context(
        viewport=size, color_scheme="dark" if dark else "light", java_script_enabled=script, reduced_motion="reduce"
    )
    try:
        page = context.new_page()
        page.set_default_timeout(1e3 * SLOW)
        if before is not None:
            page.add_init_script(before)
        yield page
    finally:
        context.close()


@dataclass
class Seen:
    """What a page asked for and complained of."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@contextmanager
def opened(
    browser: Browser,
    path: Path,
    size: ViewportSize = DESKTOP,
    dark: bool = False,
    script: bool = True,
    before: str | None = None,
) -> Iterator[tuple[Page, Seen]]:
    """A page opened from its file and ready; at the end nothing may have been requested or complained of."""
    seen = Seen()
    usual = script and before is None
    with window(browser, size, dark) if usual else new_window(browser, size, dark, script, before) as page:

        def refuse(dialog: Dialog) -> None:
            seen.complaints.append(f"dialog {dialog.message}")
            dialog.dismiss()

        handlers: dict[str, Callable[[Any], None]] = {
            "request": lambda r: seen.requests.append(r.url),
            "console": lambda m: seen.complaints.append(m.text) if m.type in ("error", "warning") else None,
            "pageerror": lambda e: seen.complaints.append(str(e)),
            "dialog": refuse,
        }
        with heard(page, handlers):
            page.goto(path.as_uri())
            if script:
                page.wait_for_selector("#view[data-ready]", state="attached")
            yield page, seen
        assert seen.requests == [path.as_uri()]
        # Software drawing is slow to read back, which Chromium tells as a warning of its own.
        assert [c for c in seen.complaints if "GPU stall" not in c] == []


def barriers(page: Page, within: str = "html") -> list[tuple[str, str, list[str]]]:
    """What axe-core finds on a page as it stands, or in one element, by all its rules: impact, rule, first elements."""
    axe = Path(__file__).resolve().parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
    if not axe.is_file():
        pytest.skip("npm has not fetched axe-core: python hatch_build.py --force")
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(axe.read_text(encoding="utf-8"))
    found = page.evaluate("within => axe.run(within, {resultTypes: ['violations']})", within)
    assert found["testEngine"]["name"] == "axe-core"
    return [(v["impact"], v["id"], [n["html"][:120] for n in v["nodes"]][:4]) for v in found["violations"]]
