"""Whether two wheels mesh where they stand, and as what."""

from __future__ import annotations

import math

import numpy as np

from cadbridge.assembly import CouplingKind
from cadbridge.frames import cross_length
from cadbridge.recognition.wheels.placed import (
    LEAST_OVERLAP,
    PARALLEL_SHAFTS,
    SAME_HELIX,
    SAME_MODULE,
    MeshingPair,
    about,
    beside,
    meeting,
    reaches,
)
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind

ROLLS_OUTSIDE = 0.1
"""Of the depth: how far outside of its teeth the circle may lie on which a wheel rolls. A choice: of wheels with much
profile shift it is near their tips or roots."""

MOST_ASLANT = math.radians(46)
"""rad by which a helical pinion may stand aslant on a straight rack, 45° and rounding; never out of its plane."""

LEAST_CROSSING = math.radians(15)
"""rad between axes from which wheels are crossed ones: of less a helical pair shows nothing. A choice."""

DEEPEST_TOOTH = 10.0
"""Modules beyond which no tooth is deep: pairs farther apart are not looked at, for time alone."""

CYLINDRICAL = (WheelKind.SPUR, WheelKind.HELICAL, WheelKind.HERRINGBONE, WheelKind.SPLINE, WheelKind.UNKNOWN)
"""Kinds that may mesh on parallel axes; the last two only prove to be wheels by a partner."""

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

_SPLINE_OFF = 0.2
"""Of the depth of teeth: how far apart two axes may be that are one. A choice; a pinion in a ring is modules off."""

_SPLINE_IN = 0.3
"""Of the depth of the inner teeth, and of the shorter width: how much of it outer teeth reach into. A choice."""


def meshing_of(p: Wheel, q: Wheel) -> MeshingPair | None:
    """How two wheels mesh; None where they do not."""
    kinds = {p.kind, q.kind}
    if WheelKind.RACK in kinds:
        pinion, rack = (q, p) if p.kind is WheelKind.RACK else (p, q)
        return None if pinion.kind not in CYLINDRICAL or pinion.internal else _rack_pinion(pinion, rack)
    if kinds == {WheelKind.BEVEL}:
        return _bevels(*((q, p) if q.teeth < p.teeth else (p, q)))
    angle = math.acos(min(1.0, abs(float(p.axis @ q.axis))))
    # A pinion of few teeth has the measures of a sprocket: its partner says which it is.
    pinions = [w for w in (p, q) if w.kind is WheelKind.SPROCKET and w.pressure_angle is not None]
    if angle < PARALLEL_SHAFTS and len(pinions) < 2 and kinds <= {*CYLINDRICAL, *(w.kind for w in pinions)}:
        return _parallel(p, q)
    if angle > LEAST_CROSSING:
        worm, wheel = (q, p) if q.kind is WheelKind.WORM else (p, q)
        if worm.kind is WheelKind.WORM and wheel.kind in (*CYLINDRICAL, WheelKind.WORM_WHEEL):
            return _crossed(worm, wheel, CouplingKind.WORM)
        if kinds == {WheelKind.HELICAL} and not (p.internal or q.internal):
            return _crossed(p, q, CouplingKind.CROSSED_HELICAL)
    return None


def _pair(
    kind: CouplingKind, p: Wheel, q: Wheel, distance: float, sure: tuple[float, float], *evidence: str
) -> MeshingPair:
    """Two wheels that mesh; `sure`: the confidence of two that are sure, and else."""
    ratio = 0.0 if kind is CouplingKind.RACK_PINION else q.teeth / p.teeth
    return MeshingPair(kind, p, q, ratio, distance, sure[not (p.sure and q.sure)], evidence)


def _parallel(p: Wheel, q: Wheel) -> MeshingPair | None:
    """Outer wheels, or an outer and an inner one, on parallel axes."""
    if p.internal and q.internal:
        return None
    if p.internal or (not q.internal and q.teeth < p.teeth):
        p, q = q, p
    z, y = p.teeth, q.teeth
    distance, overlap = beside(p, q)
    sign = -1 if q.internal else 1
    if q.internal and y <= z:
        return None
    unit = distance / (y + sign * z)  # half the working module
    if not (_rolls(p, unit * z) and _rolls(q, unit * y)) or not reaches(p, q, distance):
        return None
    if overlap < LEAST_OVERLAP * min(p.width, q.width):
        return None
    # Module and helix of a wheel in doubt are read from flanks that may be none: they are no witness against it.
    if p.sure and q.sure and not _agree(p, q, sign):
        return None
    return _pair(
        CouplingKind.INTERNAL if q.internal else CouplingKind.SPUR, p, q, distance, (0.95, 0.7),
        f"{z} and {y} teeth, axes {distance * 1e3:.3f} mm apart,"
        f" {(sign * p.reference + q.reference) * 1e3:.3f} mm by their reference circles",
        f"face widths overlap by {min(overlap, p.width, q.width) * 1e3:.2f} mm",
    )  # fmt: skip


def _rolls(wheel: Wheel, radius: float) -> bool:
    """Whether a circle that rolls lies within the wheel's teeth."""
    low, high = min(wheel.tip, wheel.root), max(wheel.tip, wheel.root)
    beyond = ROLLS_OUTSIDE * (high - low)
    return low - beyond <= radius <= high + beyond


def _agree(p: Wheel, q: Wheel, sign: int) -> bool:
    """Whether the flanks of two wheels on parallel axes are of one pitch and helix."""
    # Involutes roll on each other by equal base pitches, whatever module and pressure angle each was named by.
    pitches = (p.base / p.teeth, q.base / q.teeth) if p.base and q.base else (p.module, q.module)
    if abs(pitches[0] / pitches[1] - 1) > SAME_MODULE:
        return False
    if WheelKind.HERRINGBONE in (p.kind, q.kind):
        return p.kind == q.kind
    # Outer wheels that mesh have opposite hands, a ring that of its pinion.
    return abs(p.helix + sign * q.helix) <= SAME_HELIX


def _rack_pinion(p: Wheel, rack: Wheel) -> MeshingPair | None:
    """A pinion on a rack."""
    if rack.normal is None:
        return None
    side = np.cross(rack.axis, rack.normal)
    across, upright = abs(float(p.axis @ side)), abs(float(p.axis @ rack.normal))
    if across < math.cos(MOST_ASLANT) or upright > math.sin(PARALLEL_SHAFTS):
        return None
    apart = p.point - rack.point
    height = float(apart @ rack.normal)
    inside = abs(float(apart @ rack.axis)) < rack.present * math.pi * rack.module / 2 + p.tip
    overlap = (p.width + rack.width) / 2 - abs(float(apart @ side))
    if not reaches(p, rack, height) or not inside or overlap <= 0 or abs(p.module / rack.module - 1) > SAME_MODULE:
        return None
    module = f"a rack of module {rack.module * 1e3:.3f} mm"
    text = f"{p.teeth} teeth, {height * 1e3:.3f} mm above the middle of {module}"
    return _pair(CouplingKind.RACK_PINION, p, rack, height, (0.9, 0.6), text)


def _bevels(p: Wheel, q: Wheel) -> MeshingPair | None:
    """Bevels whose axes meet where both cones have their tip, and whose cones touch."""
    gap, meet = meeting(p, q)
    if meet is None or p.apex is None or q.apex is None:
        return None
    cone_a, cone_b = p.reference / math.sin(p.cone), q.reference / math.sin(q.cone)
    shafts = math.acos(max(-1.0, min(1.0, float(p.axis @ q.axis))))
    z, y = p.teeth, q.teeth
    pitch_a = math.atan2(math.sin(shafts), y / z + math.cos(shafts))
    close = max(math.dist(p.apex, meet) / cone_a, math.dist(q.apex, meet) / cone_b) < _BEVEL_APEX
    cones = abs(p.cone - pitch_a) < _BEVEL_ANGLE and abs(q.cone - (shafts - pitch_a)) < _BEVEL_ANGLE
    sizes = abs(math.log((p.reference / z) / (q.reference / y))) < 2 * SAME_MODULE
    sizes &= abs(math.log(cone_a / cone_b)) < _SAME_CONES
    if gap > 0.5 * p.module or not (close and cones and sizes):
        return None
    return _pair(
        CouplingKind.BEVEL, p, q, 0.0, (0.95, 0.7),
        f"{z} and {y} teeth, axes meet at {math.degrees(shafts):.1f}°",
        f"pitch cones of {math.degrees(p.cone):.1f}° and {math.degrees(q.cone):.1f}°,"
        f" {math.degrees(pitch_a):.1f}° and {math.degrees(shafts - pitch_a):.1f}° by the teeth",
    )  # fmt: skip


def _crossed(p: Wheel, q: Wheel, kind: CouplingKind) -> MeshingPair | None:
    """A worm with its wheel, or two helical wheels, on axes that neither meet nor are parallel."""
    distance, middle = meeting(p, q)
    if middle is None or not reaches(p, q, distance):
        return None
    if any(abs(float((middle - w.point) @ w.axis)) > CROSSED_AT * w.width for w in (p, q)):
        return None
    worm = kind is CouplingKind.WORM
    if worm:
        # Flanks drawn by eye put the reference circle anywhere: the circle that rolls on the worm's says the pitch too.
        rolls = distance - p.reference
        circles = [q.reference, rolls] if _rolls(q, rolls) else [q.reference]
        own = p.module / max(abs(math.sin(p.helix)), 1e-6)
        off = min(abs(own / (2 * radius / q.teeth) - 1) for radius in circles)
    else:
        shafts = math.acos(min(1.0, abs(float(p.axis @ q.axis))))
        if abs(abs(p.helix + q.helix) - shafts) > 2 * SAME_HELIX:
            return None
        off = abs(p.module / q.module - 1)
    if off > _LOOSE_PITCH * SAME_MODULE:
        return None
    teeth = f"{p.teeth} {'starts' if worm else 'teeth'} and {q.teeth} teeth"
    return _pair(kind, p, q, distance, (0.9, 0.6), f"{teeth}, axes {distance * 1e3:.3f} mm apart, crossed")


def splined(shaft: Wheel, hub: Wheel) -> bool:
    """Whether the outer teeth of one part stand in as many inner ones of another, on one axis."""
    kinds = {shaft.kind, hub.kind} <= {*CYLINDRICAL, WheelKind.SPROCKET, WheelKind.PULLEY}
    alike = hub.internal and not shaft.internal and shaft.teeth == hub.teeth and shaft.instance != hub.instance
    if not (kinds and alike and about(hub, shaft.point, shaft.axis)):
        return False
    depth = hub.root - hub.tip
    off = cross_length(shaft.point - hub.point, hub.axis)
    along = beside(shaft, hub)[1]
    fits = hub.tip + _SPLINE_IN * depth < shaft.tip < hub.root + _SPLINE_OFF * depth
    return fits and off < _SPLINE_OFF * depth and along > _SPLINE_IN * min(shaft.width, hub.width)
