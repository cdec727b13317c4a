"""What the tests of this room share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from tests.recognition.drawn import drawn
from tests.recognition.solids import bolted_look


@pytest.fixture(scope="package", autouse=True)
def as_drawn(request: pytest.FixtureRequest) -> Iterator[None]:
    """By day no assembly goes through a STEP file."""
    if request.config.getoption("markexpr") != "not nightly":
        yield
        return
    with drawn():
        yield


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bolted_look(tmp_path_factory.mktemp("bolted"))


@pytest.fixture(scope="session")
def made(file: Path) -> Assembly:
    return cb.read(file)
