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


@pytest.mark.parametrize(("order", "passed"), [(10.0, True), (1.0, False)])
def test_what_falls_with_the_tolerance_of_co_simulation_is_its_own_error(
    monkeypatch: pytest.MonkeyPatch, order: float, passed: bool
) -> None:
    """Its integrator is another than that of model exchange, and steps as its tolerance lets it."""
    right = fmu._Fmu.simulated

    def coarse(self: fmu._Fmu, mechanism: Any, kind: str, *given: Any) -> Any:
        found = right(self, mechanism, kind, *given)
        tighter = given[2] if len(given) > 2 else 1.0
        if kind == fmu.KINDS[0]:
            for name in [n for n in found.dtype.names or () if n.startswith("joint.") and n.endswith(".q")]:
                found[name] += 1e-5 / (order if tighter > 1.0 else 1.0)
        return found

    monkeypatch.setattr(fmu._Fmu, "simulated", coarse)
    result = verify(models.pendulum(), "fmu", duration=0.3)
    assert result.passed is passed
    assert result.step_error == pytest.approx(0.9e-5 if passed else 0.0, abs=2e-7)
