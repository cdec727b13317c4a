"""An assembly that several files ask about; nothing changes it."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from tests.recognition.solids import bolted_look


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bolted_look(tmp_path_factory.mktemp("bolted"))


@pytest.fixture(scope="session")
def made(file: Path) -> Assembly:
    return cb.read(file)
