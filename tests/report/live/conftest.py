"""The browser that live views are opened in."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.report.page.browser import running


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all live views."""
    with running() as found:
        yield found
