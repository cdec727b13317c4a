"""A machine of a millimetre or a kilometre, of a milligram or a thousand tonnes, is diagnosed and moves as any is."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cadbridge as cb
from cadbridge.assembly import Assembly, Part
from cadbridge.diagnosis import Diagnosis
from cadbridge.inertia import MassProperties
from cadbridge.simulation import Run, Scenario
from tests.diagnosis.test_properties import scaled

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
MACHINES = {"trrr3": "sdf", "delta": "sdf", "bendix_wrist": "urdf"}
"""Closed legs of spatial joints, a parallel robot, bevel gears. Nothing in them slides, and no joint has losses."""


def weighed(part: Part, length: float, mass: float) -> Part:
    """The part without its shape, its declared mass in other units."""
    m = part.declared
    own = None if m is None else MassProperties(mass * m.mass, length * m.com, mass * length**2 * m.inertia)
    return replace(part, shape=None, declared=own)


def in_units(assembly: Assembly, length: float, mass: float) -> Assembly:
    """The same design where what was 1 m is `length` m, and 1 kg `mass` kg."""
    plain = replace(scaled(assembly, length), study=None, gravity=None, home={}, drives=(), frames=())
    mates = tuple(replace(m, limit=None) for m in plain.mates)
    return replace(plain, mates=mates, parts=tuple(weighed(p, length, mass) for p in plain.parts))


@cache
def swung(name: str, length: float = 1.0, mass: float = 1.0) -> tuple[Diagnosis, Run]:
    """What is said of the machine, and half a second of its fall: gravity grows with it, so that times stay alike."""
    assembly = cb.read(FIXTURES / name / f"{name}.{MACHINES[name]}")
    mechanism = cb.build(in_units(assembly, length, mass))
    # The absolute tolerance is in m: of a kilometre, 1e-9 m would be below the rounding of a step.
    what = Scenario(
        gravity=(0.0, 0.0, -9.81 * length), duration=0.5, rate=40.0, friction=None,
        rtol=1e-9, atol=1e-9 * max(1.0, length),
    )  # fmt: skip
    return cb.diagnose(mechanism), cb.simulate(mechanism, what)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize(("length", "mass"), [(1e-3, 1.0), (1e3, 1.0), (1.0, 1e-6), (1.0, 1e6), (1e-3, 1e-9)])
def test_units_change_numbers_alone(name: str, length: float, mass: float) -> None:
    (usual, plain), (found, run) = swung(name), swung(name, length, mass)
    assert found.mobility == usual.mobility
    assert found.groups == usual.groups
    assert run.result.status.ok
    assert run.summary["trusted"] is plain.summary["trusted"] is True
    T, as_usual = run.result.trajectory, plain.result.trajectory
    assert np.ptp(as_usual.quaternions, axis=0).max() > 0.1
    assert_allclose(T.quaternions, as_usual.quaternions, atol=1e-6)
    assert_allclose(T.positions / length, as_usual.positions, atol=1e-6)
    energy = mass * length**2
    assert_allclose(T.kinetic / energy, as_usual.kinetic, rtol=1e-5, atol=1e-6)
