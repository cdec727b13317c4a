"""The page's code, built where it is not, and a mechanism to draw."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from cadbridge.diagnosis import Diagnosis, diagnose
from cadbridge.mechanism import Mechanism, build
from tests.report.page.models import HOSTILE, door

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def hook() -> ModuleType:
    """The build hook, as a module."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def code(hook: ModuleType) -> None:
    """The bundle of the present sources in its place."""
    hook.build_page()


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
