"""Masses, inertias and centres that cannot be, by what is known without a shape: each other, and where joints stand.

Only numbers that somebody wrote are doubted, not those computed from shapes. Parts with a mesh are held against that
besides (`cadbridge.mass.doubts`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.findings import Findings, Where
from cadbridge.frames import Vector
from cadbridge.inertia import BALL, DENSEST, MassProperties
from cadbridge.mechanism.model import Body
from cadbridge.units import TO_MM
from cadbridge.wording import listed

WRITTEN = ("declared", "override")
"""Sources of masses that somebody wrote."""
WIDE = 50.0
"""Lengths of the model above which no radius of gyration is; the slip of kg mm² for kg m² makes a thousand."""
OUTSIDE = 10.0
"""Lengths of the model from its joints at which no centre of mass is; that of mm for m makes tens to hundreds, and
those of 148 robots lie within 1.2."""
FAR = 1e5
"""m between two bodies of one machine: no such is built, and computing with positions so large takes digits away."""
NO_LENGTH = 1e-3
"""m: a model no longer than this has no length to compare with, all its joints being in one point or nearly."""
HUGE = 50.0
"""The same two in m, where the model has no length: all its joints in one point."""
POINTLIKE = 1e-3
"""Share of a body's reach, from its centre to its farthest joint, below which a radius of gyration is no body's."""
SMALLER_THAN_OSMIUM = 10.0
"""How much smaller than that of a ball of osmium a radius of gyration is let pass: idealised masses are small."""
HEAVIER = 1e5
"""One body against all others together: a choice, above what machines have; a slip of mm³ for m³ makes 1e9."""
LIGHTER = 1e-10
"""One body against all together: a step of integration cannot tell it from none."""
HAIR = 6e-6
"""kg per m of a human hair: what reaches from its centre to a joint and weighs less is a placeholder, and no body."""
SPAN = 0.01
"""m: what reaches no farther may be as light as it likes; a model may be of a tiny machine."""
ROUNDED = 1e-6
"""m: a smaller radius of gyration is a rounded zero, a point mass that somebody means."""
INERTIAS = {1e4: "kg cm²", 1e6: "kg mm²", 1e7: "g cm²", 1e9: "g mm²"}
"""By how much an inertia is too large that was written in another unit than kg m²."""


@dataclass(frozen=True, eq=False)
class PlacedBody:
    """A body with its mass in the world as designed, and the points of its joints (n, 3), m."""

    body: Body
    mass: MassProperties
    joints: Vector
    where: Where

    @property
    def gyration(self) -> float:
        """The largest radius of gyration about the centre, m."""
        return math.sqrt(max(0.0, float(np.linalg.eigvalsh(self.mass.inertia)[-1])) / self.mass.mass)

    @property
    def reach(self) -> float:
        """From the centre to the farthest joint, m."""
        return float(np.max(np.linalg.norm(self.joints - self.mass.com, axis=1), initial=0.0))

    @property
    def away(self) -> float:
        """From the centre to the nearest joint, m."""
        return float(np.min(np.linalg.norm(self.joints - self.mass.com, axis=1))) if len(self.joints) else 0.0


def doubt_proportions(
    bodies: Sequence[Body],
    joints: Mapping[str, Sequence[Vector]],
    where: Mapping[str, Where],
    fixed: Mapping[str, Mapping[str, Vector]],
    findings: Findings,
) -> None:
    """Report CB320 to CB322 of the bodies whose mass somebody wrote, and CB323 of all that lie beyond reason.

    `joints`: of each body by its name the points in the world at which others hold it; `where` its mass stands.
    `fixed`: of a body of several components, the centre of mass of each in the world.
    """
    placed = [
        PlacedBody(
            body,
            body.mass.moved(body.X_WB),
            np.array(joints.get(body.name, ()), float).reshape(-1, 3),
            where.get(body.name, Where(item=body.name)),
        )
        for body in bodies
        if body.mass is not None and body.mass.mass > 0 and body.mass_source in WRITTEN
    ]
    origins = [body.X_WB.p for body in bodies]
    length = _length([*origins, *(p for points in joints.values() for p in points)], placed)
    doubts: dict[tuple[str, str], list[tuple[PlacedBody, str]]] = {}
    for p in placed:
        for code, kind, text in _doubts(p, length):
            doubts.setdefault((code, kind), []).append((p, text))
    away = {p.body.name for (code, _), found in doubts.items() if code == "CB322" for p, _ in found}
    _doubt_fixed([p for p in placed if p.body.name not in away], length, fixed, findings)
    for (code, _), found in doubts.items():
        names = [p.body.name for p, _ in found]
        others = f"; so are those of {listed(names[1:])}" if len(names) > 1 else ""
        findings.add(code, found[0][1] + others, found[0][0].where, items=names)
    _doubt_masses(placed, findings)
    _doubt_places(bodies, joints, where, findings)


def _doubt_fixed(
    placed: Sequence[PlacedBody], length: float, fixed: Mapping[str, Mapping[str, Vector]], findings: Findings
) -> None:
    """Components that are fixed to a body and lie far from its joints: too light, maybe, for its centre to show it."""
    for p in placed:
        for name, centre in fixed.get(p.body.name, {}).items():
            away = float(np.min(np.linalg.norm(p.joints - centre, axis=1))) if len(p.joints) else 0.0
            if away > (OUTSIDE * length if length > NO_LENGTH else HUGE):
                text = f"the centre of mass of {name} lies {_metres(away)} from the joints of its body, {p.body.name}"
                beside = f"; its model is {_metres(length)} long (mm for m?)"
                findings.add(
                    "CB322", text + beside * (length > NO_LENGTH), Where(p.where.file, item=name), items=[name]
                )


def _doubt_places(
    bodies: Sequence[Body], joints: Mapping[str, Sequence[Vector]], where: Mapping[str, Where], findings: Findings
) -> None:
    """Bodies and joints that lie beyond reason from where most bodies are."""
    origins = np.array([body.X_WB.p for body in bodies], float).reshape(-1, 3)
    middle = np.sort(origins, axis=0)[len(origins) // 2] if len(origins) else np.zeros(3)
    away = {
        body.name: max(float(np.linalg.norm(point - middle)) for point in (body.X_WB.p, *joints.get(body.name, ())))
        for body in bodies
    }
    far = sorted((name for name, distance in away.items() if distance > FAR), key=lambda name: -away[name])
    if far:
        others = f"; so do {listed(far[1:])}" if len(far) > 1 else ""
        text = f"{far[0]}, or a joint of it, lies {_metres(away[far[0]])} from most bodies{others}"
        findings.add("CB323", text, where.get(far[0], Where(item=far[0])), items=far)


def _length(points: Sequence[Vector], placed: Sequence[PlacedBody]) -> float:
    """The length of the model, m: how far its joints and bodies are apart, or centres usually are from joints."""
    apart = float(np.linalg.norm(np.ptp(np.array(points), axis=0))) if points else 0.0
    # The upper median: those of NumPy and of the standard library would double what a check loads.
    usual = sorted(p.away for p in placed)[len(placed) // 2] if placed else 0.0
    return apart if usual > OUTSIDE * apart > 0.0 else max(apart, usual)


def _doubts(p: PlacedBody, length: float) -> Iterator[tuple[str, str, str]]:
    """(code, kind of doubt, words) of one body."""
    name, mass, k, reach = p.body.name, p.mass.mass, p.gyration, p.reach
    # A ball of radius r has a radius of gyration of √(2/5) r; one of osmium is the smallest body of this mass.
    densest = math.sqrt(BALL) * math.cbrt(3.0 * mass / (4.0 * math.pi * DENSEST))
    known = length > NO_LENGTH
    largest = float(np.linalg.eigvalsh(p.mass.inertia)[-1])
    written = f"the inertia of {name}, {largest:.3g} kg m² with {mass:.3g} kg,"
    if k > (WIDE * length if known else HUGE):
        beside = f"; its model is {_metres(length)} long" if known else ""
        # A body that fills its model has a radius of gyration of a fifth of its length, about.
        slip = _unit_of(largest / (mass * (0.2 * length) ** 2)) if known else ""
        yield "CB320", "wide", f"{written} is too large: it needs masses {_metres(k)} from its centre{beside}{slip}"
    elif ROUNDED < k < densest / SMALLER_THAN_OSMIUM:
        ball = BALL * mass * (densest / math.sqrt(BALL)) ** 2
        yield "CB320", "dense", f"{written} is too small for it: a ball of osmium of that mass has {ball:.2g} kg m²"
    elif ROUNDED < k < POINTLIKE * reach:
        # A bar has a radius of gyration of three tenths of its length: a thousandth, within a factor of five, is one in
        # another unit.
        slip = " (mm for m?)" if 200.0 < 0.3 * reach / k < 5000.0 else ""
        text = f"{written} is too small: a radius of {_metres(k)}, and a joint {_metres(reach)} from its centre{slip}"
        yield "CB320", "small", text
    if p.away > (OUTSIDE * length if known else HUGE):
        text = f"the centre of mass of {name} lies {_metres(p.away)} from its joints"
        yield "CB322", "away", f"{text}; its model is {_metres(length)} long (mm for m?)" if known else text


def _doubt_masses(placed: Sequence[PlacedBody], findings: Findings) -> None:
    """One body out of all proportion to the others together, or lighter than anything that reaches so far."""
    total = float(np.sum([p.mass.mass for p in placed]))
    airy = [p for p in placed if p.reach > SPAN and LIGHTER * (total - p.mass.mass) <= p.mass.mass < HAIR * p.reach]
    if airy:
        first, names = airy[0], [p.body.name for p in airy]
        text = f"{names[0]} weighs {first.mass.mass:.3g} kg, less than a hair of its length ({_metres(first.reach)})"
        more = f"; so do {listed(names[1:])}" if len(names) > 1 else ""
        findings.add("CB321", text + more, first.where, items=names)
    weighed = [p for p in placed if p not in airy]
    for p in weighed:
        name, mass, others = p.body.name, p.mass.mass, total - p.mass.mass
        if len(weighed) > 2 and mass > HEAVIER * others:
            text = f"{name} weighs {mass:.4g} kg, the {len(placed) - 1} other bodies together {others:.3g} kg"
            findings.add("CB321", text, p.where, items=[name])
        elif mass < LIGHTER * others:
            text = f"{name} weighs {mass:.3g} kg, all bodies together {total:.4g} kg"
            findings.add("CB321", text, p.where, items=[name])


def _metres(value: float) -> str:
    return f"{value:.3g} m" if value >= 1.0 else f"{value * TO_MM:.3g} mm"


def _unit_of(factor: float) -> str:
    """The unit in which an inertia may have been written that is larger by a factor than it can be."""
    near = min(INERTIAS, key=lambda known: abs(math.log(factor / known)))
    return f" ({INERTIAS[near]} for kg m²?)" if 1 / 12 < factor / near < 12 else ""
