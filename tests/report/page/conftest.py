"""A mechanism to draw, one with markup in its names, and the browser that pages are opened in."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from cadbridge.diagnosis import Diagnosis, diagnose
from cadbridge.mechanism import Mechanism, build
from tests.report.page.browser import running
from tests.report.page.models import HOSTILE, door


@pytest.fixture(scope="session")
def hinged() -> tuple[Mechanism, Diagnosis]:
    """The door, diagnosed."""
    mechanism = build(door())
    return mechanism, diagnose(mechanism)


@pytest.fixture(scope="session")
def hostile() -> tuple[Mechanism, Diagnosis]:
    """The door with markup in all its names."""
    mechanism = build(door(HOSTILE))
    return mechanism, diagnose(mechanism)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all pages."""
    with running() as found:
        yield found
