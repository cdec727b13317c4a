"""What all tests share."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType

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


@pytest.fixture(scope="session")
def build_hook() -> ModuleType:
    """hatch_build.py, which bundles the code of the report page."""
    path = Path(__file__).resolve().parents[1] / "hatch_build.py"
    spec = importlib.util.spec_from_file_location("hatch_build", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def page_code(build_hook: ModuleType) -> None:
    """The report page's code, built from the present sources where it is not."""
    build_hook.build_page()
