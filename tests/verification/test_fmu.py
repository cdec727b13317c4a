"""`verify --to fmu`: the FMU that FMPy runs against our own run."""

from __future__ import annotations

from typing import Any

import pytest

from cadbridge.exporters.fmu.binary import NoBinaryError, shared_library
from cadbridge.verification import fmu, verify
from tests.exporters import models


@pytest.fixture(autouse=True)
def library() -> None:
    """Skipped with the reason where no FMU can be made or run."""
    pytest.importorskip("fmpy", reason="FMPy, which runs FMUs, is not installed")
    try:
        shared_library()
    except NoBinaryError as fault:
        pytest.skip(str(fault))


@pytest.mark.parametrize("model", ["pendulum", "four_bar", "geared_pair"])
def test_it_moves_as_the_mechanism(model: str) -> None:
    result = verify(getattr(models, model)(), "fmu", duration=0.3)
    assert max(result.mass, result.centre, result.inertia, result.pose) < 1e-9
    assert result.swing is not None
    assert result.swing < 1e-6
    assert result.moved > 1e-2
    assert result.passed
    assert not result.findings


def test_one_that_moves_otherwise_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    right = fmu._Fmu._velocities

    def faster(*given: Any) -> dict[str, float]:
        return {name: 1.1 * value for name, value in right(*given).items()}

    monkeypatch.setattr(fmu._Fmu, "_velocities", faster)
    result = verify(models.pendulum(), "fmu", duration=0.3)
    assert result.verdict == "differs"
    assert not result.passed
    assert {f.code for f in result.findings} == {"CB530", "CB531"}
