"""The browser that pages and live views are opened in."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.report.page.browser import launched


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium that draws in software."""
    with sync_playwright() as playwright:
        found = launched(playwright)
        yield found
        found.close()
