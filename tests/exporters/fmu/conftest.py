"""The library of FMUs, linked once; where it cannot be, the tests of this folder are skipped with the reason."""

from __future__ import annotations

import pytest

from cadbridge.exporters.fmu.binary import NoBinaryError, shared_library
from tests.exporters.fmu.names import names_parsed_once

__all__ = ["library", "names_parsed_once"]


@pytest.fixture(scope="session", autouse=True)
def library() -> bytes:
    """The shared library of all FMUs."""
    pytest.importorskip("fmpy", reason="FMPy, which runs FMUs, is not installed")
    try:
        return shared_library()
    except NoBinaryError as fault:
        pytest.skip(str(fault))
