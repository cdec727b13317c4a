"""Values outside the plausible range are refused before anything is computed with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from cadbridge.assembly import Assembly, Component, Coupling, Drive, Feature, Instance, Limit, Mate, NamedFrame, Part
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.inertia import MassProperties
from cadbridge.wording import count

LARGEST_SI = 1e15
"""In SI units: no length, mass, inertia, limit or ratio of a machine comes near.

A double of that size counts in steps of 0.1: what is computed from it is noise.
"""

LARGEST_READ = 1e30
"""In any unit, numbers of a file are smaller; a reader takes a larger one for none. Products of ten stay finite.

It is above `LARGEST_SI` by more than any unit is smaller than SI's, so that `refuse_wild` names the item.
"""

MOST_WILD = 20
"""Items with a value out of range that are reported one by one: the fault is mostly one and the same."""


def fault_of(values: Iterable[float], largest: float) -> str:
    """Why some numbers are none of a machine; "" where all are finite and smaller than `largest`."""
    wild = [v for v in values if not abs(v) < largest]
    if not wild:
        return ""
    if (huge := next((v for v in wild if math.isfinite(v)), None)) is None:
        return "a number is not finite"
    return f"{huge:g} is too large: numbers of a machine are below {largest:g} (SI)"


def refuse_wild(assembly: Assembly) -> Assembly:
    """The assembly, if all its numbers are finite and below LARGEST_SI; InputError with CB109 for each that is not."""
    faults = ((item, fault_of(_KINDS[type(item)](item), LARGEST_SI)) for item in _items(assembly))
    wild = [(item, fault) for item, fault in faults if fault]
    if not wild:
        return assembly
    findings = Findings()
    findings.extend(assembly.findings)
    for item, fault in wild[:MOST_WILD]:
        where = getattr(item, "where", None) or Where(file=assembly.source)
        what = type(item).__name__.lower()
        findings.add("CB109", f"{what} {item.name}: {fault}", where)
    raise InputError(
        count(len(wild), "item has a value", "items have values")
        + f" outside the plausible range; the first is {wild[0][0].name}",
        findings,
    )


def _items(assembly: Assembly) -> Iterator[Any]:
    a = assembly
    return chain(a.parts, a.components, a.instances, a.mates, a.couplings, a.drives, a.frames)


def _pose(X: Pose) -> list[float]:
    return [*X.p.tolist(), *X.R.ravel().tolist()]


def _mass(properties: MassProperties | None) -> list[float]:
    m = properties
    return [] if m is None else [m.mass, *m.com.tolist(), *m.inertia.ravel().tolist()]


def _feature(feature: Feature | None) -> list[float]:
    if feature is None:
        return []
    vectors = (feature.point, feature.direction, feature.x)
    return [feature.radius or 0.0, *chain.from_iterable(v.tolist() for v in vectors if v is not None)]


def _limit(limit: Limit | None) -> list[float]:
    ends = (limit.lower, limit.upper, limit.velocity, limit.effort) if limit else ()
    return [v for v in ends if v is not None]


def _of_mate(m: Mate) -> Iterable[float]:
    return [
        m.value, m.damping, m.friction, m.armature, m.stiffness, m.rest, *_feature(m.a), *_feature(m.b),
        *_limit(m.limit),
    ]  # fmt: skip


def _of_coupling(c: Coupling) -> Iterable[float]:
    some = (c.ratio, c.radius_a, c.radius_b, c.pressure_angle, c.efficiency)
    numbers = [c.offset, c.helix, *(v for v in some if v is not None), *(factor for _, factor in c.factors)]
    return [*numbers, *_feature(c.a), *_feature(c.b)]


_KINDS: dict[type, Callable[[Any], Iterable[float]]] = {
    Part: lambda p: [p.density or 0.0, *_mass(p.declared)],
    Component: lambda c: _pose(c.X_WC),
    Instance: lambda i: _pose(i.X_WI),
    Mate: _of_mate,
    Coupling: _of_coupling,
    Drive: lambda d: [d.reduction, d.rotor_inertia, *(chain(d.law.gain, d.law.bias) if d.law else ())],
    NamedFrame: lambda f: _pose(f.X_CF),
}
