"""Shapes for the hand-made files, once."""

from pathlib import Path

import pytest

from tests.readers.freecad import making


@pytest.fixture(scope="session")
def solids(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder: Path = tmp_path_factory.mktemp("breps")
    return making.breps(folder)
