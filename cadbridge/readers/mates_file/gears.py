"""Gears of the file: their numbers checked against each other and against the axes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import GROUND, Coupling, CouplingKind, Feature, FeatureKind
from cadbridge.findings import Where
from cadbridge.readers.mates_file.draft import Draft, moved
from cadbridge.readers.mates_file.features import resolve
from cadbridge.readers.mates_file.gear_schema import (
    AxisPairSpec,
    CamPair,
    DifferentialSpec,
    GearPair,
    HelicalPair,
    LinearSpec,
    RackPair,
    RatioPair,
    WormPair,
)

RADII_TOLERANCE = 5e-3
"""Relative: pitch radii against the centre distance, and against teeth and ratio."""

RATIO_TOLERANCE = 1e-4
"""Relative: a ratio typed with few digits beside the teeth; the teeth are then taken."""


@dataclass(frozen=True)
class _Pair:
    """The numbers of a pair that agree with each other."""

    ratio: float | None
    teeth: tuple[int, int] | None = None
    radii: tuple[float | None, float | None] = (None, None)


def add_gears(draft: Draft) -> None:
    """Every gear of the file whose features and numbers hold; the others are left out and told."""
    for index, spec in enumerate(draft.spec.gears):
        if isinstance(spec, CamPair | LinearSpec | DifferentialSpec):
            continue  # they couple joints, which are named later
        kind = CouplingKind(spec.type)
        name = spec.name or f"{kind.value.title()}:{draft.document.rows['gears'][index] + 1}"
        where = draft.place("gears", index, name=name)
        a = _axis(draft, resolve(draft, spec.a, "gears", index, "a", name), where, name)
        b = _axis(draft, resolve(draft, spec.b, "gears", index, "b", name), where, name)
        pair = _numbers(draft, spec, where, name)
        carrier = None
        if spec.carrier is not None and spec.carrier != GROUND:
            found = draft.component(spec.carrier, draft.place("gears", index, "carrier", name=name))
            if found is None:
                continue
            carrier = found.name
        elif spec.carrier == GROUND:
            carrier = GROUND
        if a is None or b is None or pair is None:
            continue
        if a.component == b.component:
            draft.findings.add("CB157", f"{name!r} couples {a.component!r} to itself; it is left out", where)
            continue
        if not _radii_fit(draft, kind, a, b, pair, where, name):
            continue
        teeth_a, teeth_b = pair.teeth or (None, None)
        radius_a, radius_b = pair.radii
        draft.couplings.append(
            Coupling(
                name, kind, a, b, pair.ratio, teeth_a, teeth_b, radius_a, radius_b, carrier,
                crossed=getattr(spec, "crossed", False), helix=_helix(draft, spec),
                pressure_angle=_pressure_angle(draft, spec, where, name), efficiency=getattr(spec, "efficiency", None),
                where=where,
            )
        )  # fmt: skip


def _helix(draft: Draft, spec: AxisPairSpec) -> float:
    """The angle of a's teeth against its axis, rad; a worm's thread is taken at 5° of lead: only its sense matters."""
    if isinstance(spec, HelicalPair):
        return spec.helix * draft.angle
    if isinstance(spec, WormPair):
        return math.copysign(math.radians(85.0), 1.0 if spec.hand == "right" else -1.0)
    return 0.0


def _pressure_angle(draft: Draft, spec: AxisPairSpec, where: Where, name: str) -> float | None:
    """The teeth's pressure angle in rad; None where it is not given, or (told) no angle of teeth."""
    if not isinstance(spec, GearPair) or spec.pressure_angle is None:
        return None
    angle = spec.pressure_angle * draft.angle
    if angle < math.pi / 4:
        return angle
    message = f"{name!r}: a pressure angle is below 45°, not {math.degrees(angle):g}°"
    draft.findings.add("CB149", message, where)
    return None


def _axis(draft: Draft, feature: Feature | None, where: Where, name: str) -> Feature | None:
    if feature is None or feature.kind in (FeatureKind.AXIS, FeatureKind.FRAME):
        return feature
    message = f"{name!r}: {feature.label} is a {feature.kind.value}; a gear needs an axis"
    draft.findings.add("CB148", message, where)
    return None


def _numbers(draft: Draft, spec: AxisPairSpec, where: Where, name: str) -> _Pair | None:
    if isinstance(spec, RackPair):
        return _Pair(None, radii=(spec.radius * draft.length, None))
    if isinstance(spec, RatioPair):
        if spec.ratio != 0.0:
            return _Pair(spec.ratio)
        draft.findings.add("CB149", f"{name!r}: a ratio of zero couples nothing", where)
        return None
    if isinstance(spec, WormPair):
        return _Pair(spec.teeth / spec.starts, (spec.starts, spec.teeth))
    if isinstance(spec, HelicalPair):
        if abs(spec.helix * draft.angle) < math.pi / 2:
            return _Pair(spec.teeth[1] / spec.teeth[0], (spec.teeth[0], spec.teeth[1]))
        draft.findings.add("CB149", f"{name!r}: a helix angle is below a quarter turn, not {spec.helix:g}", where)
        return None
    # Teeth are exact, so they come first; a ratio is often rounded, radii always.
    said: list[tuple[str, float, float]] = []
    if spec.teeth is not None:
        za, zb = spec.teeth
        said.append((f"teeth {za}:{zb}", zb / za, RATIO_TOLERANCE))
    if spec.ratio is not None:
        said.append((f"ratio {spec.ratio:g}", spec.ratio, RATIO_TOLERANCE))
    if spec.radii is not None:
        ra, rb = spec.radii
        said.append((f"radii {ra:g}:{rb:g}", rb / ra, RADII_TOLERANCE))
    if not said:
        draft.findings.add("CB149", f"{name!r} needs teeth, ratio or radii", where)
        return None
    ratio = said[0][1]
    for text, value, tolerance in said[1:]:
        if abs(value / ratio - 1.0) > tolerance:
            message = f"{name!r}: {said[0][0]} make a ratio of {ratio:g}, but {text} make {value:g}"
            draft.findings.add("CB149", message, where)
            return None
    radii = (None, None) if spec.radii is None else (spec.radii[0] * draft.length, spec.radii[1] * draft.length)
    return _Pair(ratio, (spec.teeth[0], spec.teeth[1]) if spec.teeth else None, radii)


def _radii_fit(draft: Draft, kind: CouplingKind, a: Feature, b: Feature, pair: _Pair, where: Where, name: str) -> bool:
    """Whether the radii given add up to the distance of parallel axes (internal: their difference does)."""
    ra, rb = pair.radii
    if ra is None or rb is None or kind not in (CouplingKind.SPUR, CouplingKind.INTERNAL):
        return True
    A, B = (moved(f, "", draft.pose(f.component)) for f in (a, b))
    if A.direction is None or B.direction is None:
        return True
    if float(np.linalg.norm(np.cross(A.direction, B.direction))) > 1e-3:
        return True  # axes that are not parallel are told where all gears' axes are checked
    distance = float(np.linalg.norm(np.cross(A.direction, B.point - A.point)))
    expected = ra + rb if kind is CouplingKind.SPUR else abs(ra - rb)
    if abs(distance - expected) <= RADII_TOLERANCE * max(expected, distance):
        return True
    what = "sum" if kind is CouplingKind.SPUR else "difference"
    message = (
        f"{name!r}: the {what} of the radii is {expected * 1e3:.6g} mm, but the axes are {distance * 1e3:.6g} mm apart"
    )
    draft.findings.add("CB150", message, where)
    return False
