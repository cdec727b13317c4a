"""Forces of misfits beside springs in non-linear equilibrium, of the whole pool; and where first order ends."""

from __future__ import annotations

import math

import pytest

from cadbridge.assembly import GROUND, Assembly, MateKind
from cadbridge.mechanism import build
from cadbridge.misfit.groups import constraints_of
from tests.diagnosis.pool import POOL
from tests.mechanism.building import assembly, mate
from tests.misfit.models import Z
from tests.misfit.springs import apart, by_dense, by_rows, drawn, springs_of


def schmidt() -> Assembly:
    """Schmidt's coupling: three discs, the outer ones on parallel shafts that are apart, with three cranks from each to
    the middle one."""
    shafts = {"input": (0.0, 0.0), "middle": (0.03, 0.05), "output": (0.06, 0.0)}
    places = {name: (*at, 0.02 * i) for i, (name, at) in enumerate(shafts.items())}
    spots = [(0.06 * math.cos(a), 0.06 * math.sin(a)) for a in (0.3, 0.3 + 2 * math.pi / 3, 0.3 + 4 * math.pi / 3)]
    for side in ("input", "output"):
        for i, (x, y) in enumerate(spots):
            middle, outer = shafts["middle"], shafts[side]
            places[f"{side} crank {i}"] = ((middle[0] + outer[0]) / 2 + x, (middle[1] + outer[1]) / 2 + y, 0.0)
    mates = [mate(places, f"shaft {n}", MateKind.INSERT, GROUND, n, places[n], Z) for n in ("input", "output")]
    for side in ("input", "output"):
        for i, (x, y) in enumerate(spots):
            for disc in (side, "middle"):
                at = (shafts[disc][0] + x, shafts[disc][1] + y, places[disc][2])
                mates.append(mate(places, f"{side} {i} on {disc}", MateKind.INSERT, disc, f"{side} crank {i}", at, Z))
    return assembly(places, mates)


NO_SPRINGS = ("planetary", "locked trains", "agreeing trains")
"""Gears are no springs at one point."""
MODELS = {**{name: model for name, model in POOL.items() if name not in NO_SPRINGS}, "Schmidt": schmidt}


def difference(name: str, size: float, even: bool = False) -> float | None:
    """By how much first order is off at misfits of a size; None where mates are no springs, or nothing binds.

    `even` takes the half difference of the forces at misfits and at their opposites, which is free of second order.
    """
    constraints = constraints_of(build(MODELS[name]()))
    springs = springs_of(constraints)
    if isinstance(springs, str) or not len(constraints.dependence.repeated):
        return None
    off = drawn(springs, size)
    found = by_dense(constraints, springs, off)
    if even:
        opposite = by_dense(constraints, springs, {mate: -misfit for mate, misfit in off.items()})
        found = {mate: (found[mate] - opposite[mate]) / 2.0 for mate in found}
    return apart(found, by_rows(constraints, off))


@pytest.mark.parametrize("name", MODELS)
def test_first_order_is_that_of_springs_in_equilibrium(name: str) -> None:
    found = difference(name, 1e-6, even=True)
    assert found is not None
    assert found < 1e-7


@pytest.mark.parametrize("name", ["four-bar", "Schmidt", "crank-slider"])
def test_what_first_order_leaves_out_grows_with_the_misfits(name: str) -> None:
    """Beside the force it is c times the misfit: of a Schmidt coupling 70/m, a hundredth at 0.14 mm and mrad."""
    small, large = difference(name, 1e-6), difference(name, 1e-5)
    assert small is not None
    assert large is not None
    assert large == pytest.approx(10 * small, rel=0.02)
    assert large < 1e-3
