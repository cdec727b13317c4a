"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: the first example of a property may compile a kernel. Derandomised: a run can be repeated.
settings.register_profile("cadbridge", deadline=None, derandomize=True)
settings.load_profile("cadbridge")


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real inputs: CADBRIDGE_CORPUS, else ../shared/corpus beside the project."""
    named = os.environ.get("CADBRIDGE_CORPUS")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "corpus"
    if not folder.is_dir():
        pytest.fail(f"no corpus at {folder}: set CADBRIDGE_CORPUS to the folder of real inputs")
    return folder
