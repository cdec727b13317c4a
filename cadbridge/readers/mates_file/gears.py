"""Gears of the file: their numbers checked against each other."""

from __future__ import annotations

from cadbridge.assembly import GROUND, Coupling, CouplingKind, Feature, FeatureKind
from cadbridge.findings import Where
from cadbridge.readers.mates_file.draft import Draft
from cadbridge.readers.mates_file.features import resolve
from cadbridge.readers.mates_file.gear_schema import CamPair, DifferentialSpec, LinearSpec
from cadbridge.readers.mates_file.repeated import add_coupling


def add_gears(draft: Draft) -> None:
    """Every gear of the file whose features and numbers hold; the others are left out and reported."""
    for index, spec in enumerate(draft.spec.gears):
        if isinstance(spec, CamPair | LinearSpec | DifferentialSpec):
            continue  # they couple joints, which are named later
        kind = CouplingKind(spec.type)
        name = spec.name or f"{kind.value.title()}:{draft.document.rows['gears'][index] + 1}"
        where = draft.place("gears", index, name=name)
        a = _axis(draft, resolve(draft, spec.a, "gears", index, "a", name), where, name)
        b = _axis(draft, resolve(draft, spec.b, "gears", index, "b", name), where, name)
        try:
            numbers = spec.numbers(draft.angle, draft.length)
        except ValueError as fault:
            draft.findings.add("CB149", f"{name!r}: {fault}", where)
            numbers = None
        carrier = None
        if spec.carrier is not None and spec.carrier != GROUND:
            found = draft.component(spec.carrier, draft.place("gears", index, "carrier", name=name))
            if found is None:
                continue
            carrier = found.name
        elif spec.carrier == GROUND:
            carrier = GROUND
        if a is None or b is None or numbers is None:
            continue
        if a.component == b.component:
            draft.findings.add("CB157", f"{name!r} couples {a.component!r} to itself; it is left out", where)
            continue
        add_coupling(draft, Coupling(name, kind, a, b, carrier=carrier, where=where, **numbers))


def _axis(draft: Draft, feature: Feature | None, where: Where, name: str) -> Feature | None:
    if feature is None or feature.kind in (FeatureKind.AXIS, FeatureKind.FRAME):
        return feature
    message = f"{name!r}: {feature.label} is a {feature.kind.value}; a gear needs an axis"
    draft.findings.add("CB148", message, where)
    return None
