"""A real URDF whose inertials are placeholders: told, weighed from its meshes, and run."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.simulation import Scenario, simulate


@pytest.fixture(scope="module")
def urdf(corpus: Path) -> Path:
    return corpus / "kuka_kr16_support" / "urdf" / "kr16_2.urdf"


def test_placeholder_inertials_are_told(urdf: Path) -> None:
    mechanism = cb.build(cb.read(urdf))
    told = [f for f in mechanism.findings if f.code == "CB307"]
    assert len(told) == 1
    assert "link_6" in told[0].message
    assert sum(b.mass.mass for b in mechanism.bodies if b.mass) == pytest.approx(12.0)


def test_masses_from_the_meshes_run(urdf: Path) -> None:
    assembly = cb.read(urdf, options=cb.ReadOptions(mass_from="mesh", density=2700.0))
    mechanism = cb.build(assembly)
    bodies = [*mechanism.bodies, mechanism.ground]
    assert sum(b.mass.mass for b in bodies if b.mass) == pytest.approx(355.0, abs=1.0)
    run = simulate(mechanism, Scenario(duration=0.5))
    assert run.result.status.ok
    assert run.summary["energy_drift_J"] < 1e-5 * run.summary["energy_exchanged_J"]
