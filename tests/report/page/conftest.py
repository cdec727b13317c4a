"""A mechanism to draw, and one with markup in its names."""

import pytest

from cadbridge.diagnosis import Diagnosis, diagnose
from cadbridge.mechanism import Mechanism, build
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
