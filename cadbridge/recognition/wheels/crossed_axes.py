"""Wheels whose axes meet or cross: bevels, worms, crossed helical wheels."""

from __future__ import annotations

import math

from cadbridge.assembly import CouplingKind
from cadbridge.recognition.wheels.placed import SAME_HELIX, SAME_MODULE, MeshingPair, PlacedWheel, meeting, reaches

CROSSED_AT = 0.6
"""Of the face width: how far from its middle the teeth of crossed wheels meet at most, half being its end. A choice."""

_BEVEL_ANGLE = math.radians(7)
"""rad by which the pitch cone of a bevel wheel may differ from that of its ratio: tip cones are read, which differ by
some degrees."""

_SAME_CONES = 0.15
"""Logarithm of the cone distances of two bevels: how far one may be from the other; both are read from short cones."""

_LOOSE_PITCH = 1.5
"""How much farther the pitches of crossed wheels may be apart than `SAME_MODULE`: that of a worm goes by its helix."""

_BEVEL_APEX = 0.2
"""Of the cone distance: how far from where the axes meet an apex may be; it is read from short cones."""


def bevels(a: PlacedWheel, b: PlacedWheel) -> MeshingPair | None:
    """Bevels whose axes meet where both cones have their tip, and whose cones touch."""
    if (b.wheel.teeth or 0) < (a.wheel.teeth or 0):
        a, b = b, a
    p, q = a.wheel, b.wheel
    gap, meet = meeting(p, q)
    if meet is None or p.apex is None or q.apex is None:
        return None
    cone_a, cone_b = p.reference / math.sin(p.cone), q.reference / math.sin(q.cone)
    shafts = math.acos(max(-1.0, min(1.0, float(p.axis @ q.axis))))
    z, y = p.teeth or 1, q.teeth or 1
    pitch_a = math.atan2(math.sin(shafts), y / z + math.cos(shafts))
    close = max(math.dist(p.apex, meet) / cone_a, math.dist(q.apex, meet) / cone_b) < _BEVEL_APEX
    cones = abs(p.cone - pitch_a) < _BEVEL_ANGLE and abs(q.cone - (shafts - pitch_a)) < _BEVEL_ANGLE
    sizes = abs(math.log((p.reference / z) / (q.reference / y))) < 2 * SAME_MODULE
    sizes &= abs(math.log(cone_a / cone_b)) < _SAME_CONES
    if gap > 0.5 * p.module or not (close and cones and sizes):
        return None
    return MeshingPair(
        CouplingKind.BEVEL, a, b, y / z, 0.0, 0.95 if p.sure and q.sure else 0.7,
        (
            f"{z} and {y} teeth, axes meet at {math.degrees(shafts):.1f}°",
            f"pitch cones of {math.degrees(p.cone):.1f}° and {math.degrees(q.cone):.1f}°,"
            f" {math.degrees(pitch_a):.1f}° and {math.degrees(shafts - pitch_a):.1f}° by the teeth",
        ),
    )  # fmt: skip


def crossed(a: PlacedWheel, b: PlacedWheel, kind: CouplingKind) -> MeshingPair | None:
    """A worm with its wheel, or two helical wheels, on axes that neither meet nor are parallel."""
    p, q = a.wheel, b.wheel
    distance, middle = meeting(p, q)
    if middle is None or not reaches(p, q, distance):
        return None
    if any(abs(float((middle - w.point) @ w.axis)) > CROSSED_AT * w.width for w in (p, q)):
        return None
    worm = kind is CouplingKind.WORM
    if worm:
        pitches = p.module / max(abs(math.sin(p.helix)), 1e-6), 2 * q.reference / (q.teeth or 1)
    else:
        pitches = p.module, q.module
        shafts = math.acos(min(1.0, abs(float(p.axis @ q.axis))))
        if abs(abs(p.helix + q.helix) - shafts) > 2 * SAME_HELIX:
            return None
    if abs(pitches[0] / pitches[1] - 1) > _LOOSE_PITCH * SAME_MODULE:
        return None
    name = "starts" if worm else "teeth"
    return MeshingPair(
        kind, a, b, (q.teeth or 1) / (p.teeth or 1), distance, 0.9 if p.sure and q.sure else 0.6,
        (f"{p.teeth} {name} and {q.teeth} teeth, axes {distance * 1e3:.3f} mm apart, crossed",),
    )  # fmt: skip
