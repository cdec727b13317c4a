"""Declared masses beside their shapes."""

from __future__ import annotations

import numpy as np
import pytest

from cadbridge.assembly import Part
from cadbridge.findings import Findings
from cadbridge.inertia import MassProperties
from cadbridge.mass import doubt_declared, part_volume
from tests.mass.solids import box, shape

BAR = box(0.2, 0.02, 0.02)
STEEL = 7850.0
MASS = STEEL * 0.2 * 0.02 * 0.02
INERTIA = MASS / 12 * np.diag([2 * 0.02**2, 0.2**2 + 0.02**2, 0.2**2 + 0.02**2])


def told(
    mass: float = MASS, com: tuple[float, ...] = (0, 0, 0), inertia: float = 1.0, density: float | None = STEEL
) -> list[str]:
    declared = MassProperties(mass, np.array(com, float), INERTIA * inertia * mass / MASS)
    findings = Findings()
    part = Part("bar", shape(BAR), density=density, declared=declared)
    doubt_declared([(part, part_volume(part))], findings)
    return [f"{f.code} {f.message}" for f in findings]


def test_what_the_shape_bears_out_is_not_doubted() -> None:
    assert told() == []
    assert told(mass=0.9 * MASS) == []
    assert told(density=None) == []
    assert told(com=(0.09, 0, 0)) == []


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"mass": 3 * MASS}, "CB318 bar declares 1.884 kg; its shape with 7850 kg/m³ (its density) makes 0.628 kg"),
        ({"mass": 1e3 * MASS}, "(a factor of 1000: g for kg?)"),
        ({"mass": 1e3 * MASS, "density": None}, "which no material has (a factor of 1000: g for kg?)"),
        ({"mass": 5e-4, "density": None}, "CB318 bar declares 0.0005 kg: a density of 6.25 kg/m³"),
        ({"com": (0.3, 0, 0)}, "CB319 the centre of mass of bar lies 200 mm outside of its box"),
        ({"com": (90.0, 0, 0)}, "lies 8.99e+04 mm outside"),
        (
            {"inertia": 1e6},
            "CB319 the declared inertia of bar is too large for its shape: it needs a radius of 5.8e+04 mm, the shape "
            "reaches 101 mm",
        ),
        ({"inertia": 1e6}, "(a factor of 10⁶: mm for m?)"),
        ({"inertia": 1e-6}, "CB319 the declared inertia of bar is too small for its shape: a radius of 0.058 mm"),
    ],
)
def test_units_and_other_bodies_are_suspected(change: dict[str, float], text: str) -> None:
    assert any(text in line for line in told(**change)), told(**change)  # type: ignore[arg-type]


def test_a_point_mass_and_a_part_without_shape_are_not_doubted() -> None:
    assert told(inertia=0.0) == []
    findings = Findings()
    part = Part("bar", declared=MassProperties(1e6, np.zeros(3), np.eye(3)))
    doubt_declared([(part, part_volume(part))], findings)
    assert len(findings) == 0
